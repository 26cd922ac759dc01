"""A fourth set of texts that people might send back: six wishes to be left alone and four others of each language.

They were written after the patterns had been widened for the third set, and nothing was changed after they were run.
"""

from typing import Final

from tests.domain.messages.fresh_replies import Replies

FOURTH: Final = {
    "en": Replies(
        wishes=(
            "I'm on a pension, I can't afford whatever it is you're flogging. Goodbye and don't come back to me",
            "we are done here. no further contact",
            "y do u keep textin?? pack it in",
            "Would you be so good as to strike me from the register of people you telephone",
            "if i get one more call from you im going to the ombudsman",
            "not ok with getting these, thanks",
        ),
        others=(
            "There was no message on my machine, what was it about?",
            "The call centre lady was great, nothing to add",
            "no, my number ends in 42 not 24",
            "Stopped raining so yes we can come",
        ),
    ),
    "es": Replies(
        wishes=(
            "otra vez ustedes... que no, que me dejen tranquilo",
            "Le pido que tache mi nombre y no se vuelva a comunicar conmigo",
            "ni una llamada mas eh",
            "no molestar a esta hora ni a ninguna",
            "me salgo del grupo este de avisos, gracias",
            "el señor que buscan ya murió, respeten y no sigan marcando",
        ),
        others=(
            "no tengo más preguntas sobre el mensaje, gracias",
            "Sin problema, ahí estaré",
            "el número de mi casa es el 14, no el 41",
            "Prefiero el jueves",
        ),
    ),
    "fr": Replies(
        wishes=(
            "basta les appels, j'suis pas client chez vous",
            "Bonsoir, je ne veux en aucun cas être démarché, prenez-en bonne note",
            "desinscription svp cordialement Mme Petit",
            "Qui vous a filé mon 06 ? Effacez ça tout de suite",
            "foutez-nous la paix avec vos enquêtes",
            "ne me relancez pas, ma décision est prise",
        ),
        others=(
            "Le livreur n'avait pas mon numéro d'appartement",
            "Rien à signaler, tout va bien",
            "Pas ce soir, plutôt jeudi",
            "Le message vocal était très clair, merci",
        ),
    ),
    "de": Replies(
        wishes=(
            "Guten Tag, ich bin damit nicht einverstanden, dass Sie meine Nummer verwenden.",
            "boah ey jeden tag ne sms, geht's noch? schluss",
            "Sie brauchen sich bei mir nicht mehr zu melden",
            "Nehmen Sie zur Kenntnis: Werbeanrufe sind hier nicht gewünscht",
            "lasst den scheiß mit den anrufen",
            "hob i gsogt i wü des ned, ruafts nimma o",
        ),
        others=(
            "Die Nummer auf dem Brief stimmt nicht, es fehlt eine Ziffer",
            "Kein Problem, dann eben Dienstag",
            "Nein danke, hab schon abgestimmt",
            "Ihre Nachricht war sehr hilfreich",
        ),
    ),
    "pt": Replies(
        wishes=(
            "Gente, já falei que não sou cliente, me tirem do sistema",
            "não tenho paciência pra tanta mensagem, chega né",
            "É favor não incomodar mais a minha avó",
            "para de ligar caramba",
            "Retiro a autorização que dei para me enviarem publicidade",
            "qtas vezes tenho q dizer q nao quero contato",
        ),
        others=(
            "o número do pedido não é esse, é 5512",
            "Não, obrigado, já votei",
            "Sem dúvidas, o melhor atendimento",
            "A mensagem veio cortada",
        ),
    ),
    "it": Replies(
        wishes=(
            "Buongiorno, gradirei non essere disturbato oltre",
            "ma che volete?? non vi ho chiesto nulla, sparite",
            "Togliere il numero dall'elenco, grazie",
            "non rompete piu le scatole co sti sms",
            "Nego il consenso a ogni ulteriore contatto",
            "mia nonna si spaventa, non fatela squillare più",
        ),
        others=(
            "il numero civico non è il 5 ma il 15",
            "Niente da aggiungere, siete bravissimi",
            "Non oggi, magari venerdì",
            "La telefonata è stata breve e chiara",
        ),
    ),
}
"""The texts of each language, by its code."""
