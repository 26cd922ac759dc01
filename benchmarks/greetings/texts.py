"""Greetings, by language: to tune detection with, to check it with, and to measure it. `|` is a pause."""

from typing import Final, NamedTuple


class Texts(NamedTuple):
    """The greetings of people and of machines in one language."""

    people: tuple[str, ...]
    machines: tuple[str, ...]


TUNED: Final = {
    "en": Texts(
        people=(
            *("Hello?", "Yes?", "Hi.", "Smith.", "Anna Smith speaking.", "Hello, who is this?", "Yeah, hello?"),
            *("Good morning, this is Anna.", "Hello? | Anna here.", "Smith and partners, how may I help you?"),
        ),
        machines=(
            "You have reached Anna Smith. Please leave a message after the tone.",
            "Hi, this is Anna. | I am not at home right now, but leave your name and I will call you back.",
            "The person you have called is not available. | Please try again later.",
            "Welcome to the voice mail of nine one seven, five five five, zero one zero zero. Speak after the beep.",
            "Hi, you have reached Anna. Leave a message.",
        ),
    ),
    "de": Texts(
        people=(
            *("Hallo?", "Ja?", "Schmidt.", "Anna Schmidt, hallo?", "Ja, bitte?", "Schmidt, guten Tag."),
            *("Praxis Doktor Schmidt, guten Morgen, was kann ich für Sie tun?", "Ja, | hallo?"),
        ),
        machines=(
            "Guten Tag, hier ist der Anrufbeantworter von Anna Schmidt. | Bitte sprechen Sie nach dem Ton.",
            "Der Teilnehmer ist zurzeit nicht erreichbar. Bitte versuchen Sie es später noch einmal.",
            "Hallo, hier ist Anna. Ich bin gerade nicht da. | Sprecht mir was drauf.",
        ),
    ),
    "es": Texts(
        people=("¿Diga?", "¿Sí?", "Hola.", "¿Sí, dígame?", "Hola, ¿quién es?", "Buenos días, le habla Ana García."),
        machines=(
            "Ha llamado a Ana García. En este momento no puedo atenderle. | Deje su mensaje después de la señal.",
            "El número marcado no está disponible. Por favor, inténtelo más tarde.",
        ),
    ),
}
CHECKED: Final = {
    "en": Texts(
        people=(
            *(
                "Hello.",
                "Hallo?",
                "Who's there?",
                "Miller.",
                "Peter Miller.",
                "Yes, speaking.",
                "Good evening.",
                "Oh, hi!",
            ),
            *("Miller, good morning, how can I help?", "Green Garden Services, Peter speaking.", "Hello? | Hello?"),
            *("Hi, | it's Peter.", "Hello, Miller residence.", "One moment. | Yes, hello?"),
        ),
        machines=(
            (
                "Hello, we can't come to the telephone at the moment. | If you leave a message, we'll ring you back. "
                "| Thanks."
            ),
            (
                "Your call has been forwarded to an automatic voice message system. | Peter Miller | is not available. "
                "At the tone, please record your message. When you have finished recording, you may hang up."
            ),
            "This is Peter. Please leave a message.",
            "Sorry, I missed your call. Leave your name and number after the beep.",
            "The number you have dialled has been switched off. Please call again later.",
            (
                "Thank you for calling Green Garden Services. | Our office is closed. | Our opening hours are "
                "Monday to Friday from nine to five. | You can also leave us a message, "
                "and we will call you back the next day."
            ),
            "Hi! | You've got Peter's phone, but not Peter. | Tell me what it's about, and I'll get back to you.",
        ),
    ),
    "fr": Texts(
        people=(
            "Allô ?",
            "Oui, allô ?",
            "Allô, bonjour.",
            "Martin, j'écoute.",
            "Cabinet Martin, bonjour, que puis-je pour vous ?",
        ),
        machines=(
            (
                "Bonjour, vous êtes bien chez Pierre Martin. | Je suis absent pour le moment. "
                "| Laissez un message après le bip."
            ),
            "Votre correspondant n'est pas disponible. Veuillez rappeler plus tard.",
            "Bienvenue sur la messagerie de Pierre. Parlez après le signal sonore.",
        ),
    ),
    "it": Texts(
        people=("Pronto?", "Sì?", "Pronto, chi parla?", "Sì, | pronto?", "Studio Rossi, buongiorno, mi dica."),
        machines=(
            "Risponde la segreteria telefonica di casa Rossi. | Lasciate un messaggio dopo il segnale.",
            "Il cliente da lei chiamato non è al momento raggiungibile. La preghiamo di richiamare più tardi.",
            "Ciao, sono Marco. Adesso non posso rispondere. | Richiamami più tardi.",
        ),
    ),
    "nl": Texts(
        people=("Hallo?", "Met Jansen.", "Met Kees, hallo?", "Goedemiddag, bakkerij Jansen, zegt u het maar."),
        machines=(
            "U bent verbonden met de voicemail van Kees Jansen. Spreek een bericht in na de piep.",
            "Dit nummer is tijdelijk niet bereikbaar. | Probeert u het later nog eens.",
        ),
    ),
    "pl": Texts(
        people=("Halo?", "Słucham.", "Tak, słucham?", "Dzień dobry, Kowalski."),
        machines=(
            "Tu poczta głosowa. Abonent nie może odebrać. | Zostaw wiadomość po sygnale.",
            "Wybrany numer jest chwilowo niedostępny. Prosimy spróbować później.",
        ),
    ),
    "fi": Texts(
        people=("Haloo?", "Virtanen.", "Matti Virtanen, hei.", "No hei!"),
        machines=(
            "Hei, tämä on Matti Virtasen puhelinvastaaja. | Jätä viesti äänimerkin jälkeen.",
            "Valitsemaanne numeroon ei juuri nyt saada yhteyttä. Yrittäkää myöhemmin uudelleen.",
        ),
    ),
}
HELD_OUT: Final = {
    "en": Texts(
        people=(
            *("Hello?", "Hi there.", "Yep?", "Johnson.", "This is Karen.", "Hello, Karen speaking.", "Who is this?"),
            *("Yes, | who is it?", "Johnson and sons, what can I do for you?", "Good afternoon, Lakeside Dental."),
        ),
        machines=(
            "Hello, you have reached the Johnson family. | We are out right now. | Please leave us a message.",
            "Hey, it's Karen. | Can't talk now. Text me instead, or leave a message after the tone.",
            "You have reached the mailbox of five five five, zero one two three. The mailbox is full. | Goodbye.",
            "Karen Johnson is unavailable. | Record your message at the tone.",
            "Thanks for calling Lakeside Dental. | We are closed for lunch. Please call back after two o'clock.",
            "Hi, sorry I can't take your call. Please leave your name, your number, and a short message.",
        ),
    ),
    "pt-br": Texts(
        people=("Alô?", "Oi.", "Alô, quem fala?", "Pois não?", "Padaria Silva, bom dia.", "Oi, | tudo bem?"),
        machines=(
            "Sua chamada está sendo encaminhada para a caixa postal. | Deixe sua mensagem após o sinal.",
            "Oi, aqui é o João. | Não posso atender agora. Deixe um recado.",
            "O número chamado está desligado ou fora da área de cobertura.",
        ),
    ),
    "sv": Texts(
        people=("Hallå?", "Ja, hej.", "Anna Lindberg.", "Hej, det är Anna.", "Lindbergs bageri, god morgon."),
        machines=(
            "Hej, du har kommit till Anna Lindberg. | Jag kan inte svara just nu. | Lämna ett meddelande efter pipet.",
            "Abonnenten du söker kan inte nås för tillfället. Var god försök senare.",
        ),
    ),
    "da": Texts(
        people=("Hallo?", "Ja, det er Mette.", "Mette Hansen.", "Goddag, | Hansens bageri."),
        machines=(
            "Hej, det er Mette. | Jeg kan ikke tage telefonen lige nu. | Læg en besked efter tonen.",
            "Den person, du ringer til, træffes ikke i øjeblikket. Prøv igen senere.",
        ),
    ),
    "cs": Texts(
        people=("Haló?", "Prosím?", "Novák.", "Dobrý den, tady Novák.", "Ano, | slyším vás."),
        machines=(
            "Dovolali jste se do hlasové schránky. | Zanechte prosím vzkaz po zaznění tónu.",
            "Volaný účastník není dostupný. Zavolejte prosím později.",
        ),
    ),
    "ca": Texts(
        people=("Digui?", "Sí, digui'm?", "Hola, bon dia.", "Qui és?", "Fleca Puig, bon dia, digui'm."),
        machines=(
            "Heu trucat a casa dels Puig. | Ara no hi som. | Deixeu el missatge després del senyal.",
            "El telèfon al qual truqueu està apagat o fora de cobertura en aquest moment.",
        ),
    ),
}
