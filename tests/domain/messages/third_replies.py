"""A third set of texts that people might send back: six wishes to be left alone and four others of each language.

They were written after the patterns had been widened for the second set, and before anybody ran the patterns on them.
"""

from typing import Final

from tests.domain.messages.fresh_replies import Replies

THIRD: Final = {
    "en": Replies(
        wishes=(
            "Hi, this is Joan's daughter. Mum is in a care home now so there is no need to ring her any more",
            "dont bother with the follow up, count me out",
            "ur messages are doing my head in, cut it out",
            "Please make sure nobody from your company phones us again",
            "I withdraw any permission I gave you to text me",
            "no means no. stop it!!!",
        ),
        others=(
            "no need to send a reminder, I have it in my diary already, thx",
            "Is this the number to text for repairs? my boiler won't stop leaking",
            "never mind, found it",
            "Yes please take my order off hold",
        ),
    ),
    "es": Replies(
        wishes=(
            "y dale con las llamadas, ya córtenla",
            "Agradecería que no me volviesen a contactar",
            "no molesteis mas a mi abuela que tiene 90 años",
            "Este celular es de trabajo, favor de no llamar",
            "quitar mi numero de la lista",
            "me da igual lo que vendan, no quiero saber nada de ustedes",
        ),
        others=(
            "No me llegó el código, mándenlo otra vez",
            "Déjenme pensarlo y les digo mañana",
            "no, el martes no puedo",
            "Paren en la esquina, yo bajo",
        ),
    ),
    "fr": Replies(
        wishes=(
            "Encore vous ? Perdez mon numéro une bonne fois pour toutes",
            "Je vous demande de ne plus me joindre à ce numéro",
            "on veut pas de vos pubs ici",
            "C'est la dernière fois que je le dis : plus un seul appel",
            "svp suprimer mon numero",
            "Retrait de ma fiche demandé, merci d'en prendre note",
        ),
        others=(
            "Non je n'ai plus besoin du rendez-vous de 10h, celui de 14h me va",
            "Plus tard svp, je conduis",
            "pas de problème, à demain",
            "Ne vous inquiétez pas pour le retard",
        ),
    ),
    "de": Replies(
        wishes=(
            "Könnten Sie bitte davon absehen, mich abends anzurufen oder anzuschreiben? Am besten gar nicht mehr.",
            "Finger weg von meiner Nummer",
            "wir kaufen nix, ruft bitte wen anders an",
            "i wü kane anrufe mehr",
            "Hab ich doch gesagt: NICHT MEHR ANRUFEN",
            "Bitte meinen Kontakt aus Ihrem System entfernen",
        ),
        others=(
            "Kann nicht mehr ändern, App stürzt ab",
            "Nie Probleme gehabt, weiter so",
            "lasst die Ware bitte beim Nachbarn",
            "Nicht nötig, ich hab den Zettel schon",
        ),
    ),
    "pt": Replies(
        wishes=(
            "toda hora vcs ligam, ja deu né, parem",
            "Solicito que não volte a ser contactado",
            "pfv tirem esse numero do sistema de vcs, é de uma criança",
            "Não é a Carla, já disse! Não chamem mais",
            "oh amigo larga-me da mão, não quero nada",
            "quero cancelar o recebimento dessas mensagens",
        ),
        others=(
            "não precisa ligar, já resolvi o problema, obrigado",
            "Nada mais a acrescentar, tudo ótimo",
            "Ainda não, só amanhã",
            "para mim está ótimo",
        ),
    ),
    "it": Replies(
        wishes=(
            "Guardi, sono anziana e queste telefonate mi agitano, non mi cerchi più",
            "fate sparire il mio numero",
            "ancora??? vi avevo detto di non chiamare",
            "Chiedo la rimozione dei miei recapiti",
            "stop msg grz",
            "Se mi arriva un altro sms vado dai carabinieri",
        ),
        others=(
            "Non serve richiamare, ho risolto",
            "mai stata meglio, grazie",
            "Fermi tutto, arrivo tra 5 minuti",
            "Non più alle 10, facciamo alle 11",
        ),
    ),
}
"""The texts of each language, by its code."""
