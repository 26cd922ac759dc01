"""A second set of texts that people might send back: six wishes to be left alone and four others of each language.

They were written after the patterns had been widened for the first set, and before anybody ran the patterns on them.
"""

from typing import Final

from tests.domain.messages.fresh_replies import Replies

SECOND: Final = {
    "en": Replies(
        wishes=(
            "I have no idea who you people are and I'd like it to stay that way, so no more of this",
            "pls can u not text this number its my work phone",
            "Take my mum's number out of your system, she has dementia",
            "enough with the messages already!!",
            "Do me a favour and bin my number",
            "stoppp calllingg meee",
        ),
        others=(
            "Can you stop the delivery on Monday and send it Tuesday instead?",
            "Never had a problem, 5 stars",
            "not now, in class, txt me later",
            "My number has changed, please use this one from now on",
        ),
    ),
    "es": Replies(
        wishes=(
            "Oiga ya van cinco veces esta semana, no quiero que me estén llamando",
            "no me manden nada plis",
            "Les pido respetuosamente que retiren este teléfono de sus registros",
            "callense ya, me tienen harta con sus encuestas",
            "No vuelvas a escribirme",
            "anule mi suscripción y no me contacte",
        ),
        others=(
            "Sí, cancele la cita del jueves y deme otra",
            "ya no trabajo ahí pero puedo contestar la encuesta",
            "Dejen el paquete con el portero",
            "Nunca, es la primera vez que llamo",
        ),
    ),
    "fr": Replies(
        wishes=(
            "Bonjour, pourriez-vous m'enlever de vos contacts ? Merci d'avance",
            "jai dit NON. Stop les textos",
            "Mon père est en maison de retraite, il ne faut plus téléphoner ici",
            "Je refuse d'être contacté à des fins commerciales",
            "virez mon num de votre base",
            "bon maintenant ça suffit, on se calme avec les sms",
        ),
        others=(
            "Arrêtez la livraison de mardi, je serai absent",
            "Jamais eu de souci avec vous, continuez !",
            "Non pas encore reçu, j'attends toujours",
            "Envoyez plutôt à ma femme, c'est elle qui gère",
        ),
    ),
    "de": Replies(
        wishes=(
            "Wie oft denn noch? Ich will keine Anrufe von euch!",
            "bitte aus dem Verteiler nehmen, danke",
            "Meine Mutter ist 91 und wird durch Ihre Anrufe verwirrt. Bitte unterlassen Sie das.",
            "sperrt meine nr ich mag des ned",
            "SMS bitte einstellen",
            "Ich entziehe Ihnen die Erlaubnis, mich anzurufen",
        ),
        others=(
            "Nein, ich habe noch nicht abgestimmt",
            "Bitte streichen Sie den Termin am Montag nicht",
            "Der Aufzug hört nicht auf zu piepen, bitte Techniker schicken",
            "Bin nicht mehr in Köln, geht auch Bonn?",
        ),
    ),
    "pt": Replies(
        wishes=(
            "Moça, pelo amor, tira meu número daí que não aguento mais",
            "Não tenho interesse nenhum, escusam de ligar",
            "pare d me mandar sms",
            "Quero ser removido da lista de contactos",
            "ngm aqui pediu isso, some",
            "Peço que cessem os contactos para este número",
        ),
        others=(
            "Sim pode cancelar o de quarta e manter o de sexta",
            "Nunca fui tão bem atendida",
            "Não vou poder hoje, manda mensagem amanhã",
            "deixe a encomenda na portaria",
        ),
    ),
    "it": Replies(
        wishes=(
            "Ma basta!!! È la decima volta che chiamate",
            "Vi chiedo di cancellare il mio nominativo dalle vostre liste",
            "nn chiamarmi + x favore",
            "Non ho mai dato il consenso a ricevere questi messaggi",
            "Sparite, non ne voglio sapere",
            "qui non abita nessun Rossi, evitate di telefonare",
        ),
        others=(
            "No, mai usato, ma mi interessa",
            "Potete cancellare l'ordine vecchio e tenere il nuovo",
            "Non ho finito di rispondere, dov'ero rimasta?",
            "Fermatevi pure al cancello, vi apro io",
        ),
    ),
}
"""The texts of each language, by its code."""
