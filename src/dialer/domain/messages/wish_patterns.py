# ruff: noqa: E501, RUF001 - a pattern is a line, with letters as people type them
"""Wishes not to be contacted, in other words than single phrases: patterns by language and by kind.

Patterns are for words in small letters without accents, apostrophes and punctuation (`opt_out.words_of`). A kind joins a verb with its
object, such as "stop" and "calling", so that "I'll stop by" is none. Sources of the kinds: 47 CFR 64.1200(a)(10), whose sellers
must heed any words that a reasonable person understands, as summaries of it say; and the opt-out words that AWS and Sakari list. The other
words and all kinds of other languages are those of the authors, from no source.
"""

from typing import Final, NamedTuple


class Patterns(NamedTuple):
    """The patterns of a language."""

    wishes: tuple[str, ...]
    """Words that a reasonable person takes for the wish."""
    hints: tuple[str, ...]
    """Words that may come with the wish."""
    opposites: tuple[str, ...]
    """Words that ask for the opposite, such as "don't stop"."""
    away: str = ""
    """Beginnings of words such as "remove", "refuse" or "no longer". Together with a word of `about` they may be a wish."""
    about: str = ""
    """Beginnings of words such as "call", "number" or "list"."""
    nots: str = ""
    """Words that deny. In a part of a message with a word of `about`, they may be a wish."""
    invites: str = ""
    """Words of people who ask for a call or a message, or miss one. Beside them, `nots` are no wish."""
    limits: str = ""
    """Words beside a wish that limit it to a time, such as "before nine"."""


_NOT_ENOUGH: Final = (
    r"(?! (?:que|com que|con que|che|un|una|poco|chiedere|sapere|solo|cosi poco|ligar|llamar|dizer|decir)\b)"
)
"""Words after "basta" make it say that a thing suffices: "basta che mi dite"."""
_EN_TELL: Final = r"(?:call|ring|phone|text|txt|message|msg|contact|write|disturb|bother|mail|email|sms|dial|send|reach out|communicate)"
_EN_THING: Final = (
    r"(?:call(?:s|ing?|in)?|text\w*|txt\w*|messag\w*|msgs?|contact\w*|ring\w*|phon\w*|sms|send\w*|communicat\w*|spam\w*|bother\w*|harass\w*"
    r"|remind\w*|writ\w*|robocall\w*)"
)
_ENGLISH: Final = Patterns(
    wishes=(
        rf"(?<!\bi )(?<!you )(?<!we )(?<!they )(?<!why )\b(?:do not|dont|never|not to|no longer)(?: ever| please| you)? {_EN_TELL}\b",
        rf"\b(?:stop|quit|cease|halt|discontinue|end)(?! (?:by|in|over|at|off)\b)(?: \w+){{0,3}}? {_EN_THING}\b",
        (
            r"\b(?:remove|delete|erase|unlist|wipe|scrub|bin|ditch|trash|scrap|destroy|dump|purge) (?:me|us|her|him|them|(?:my|our|this|the) (?:\w+ )?(?:number|name|phone|cell|info\w*|data"
            r"|contact|details))\b"
        ),
        r"\b(?:take|get|drop|strike|cross|scratch|pull) (?:me|us|her|him|(?:my|this) (?:\w+ )?(?:number|name|phone|cell|mobile|landline|line|details|info\w*|data|contact|email|address)) (?:off|from|out of|of)\b(?! (?:hold|the phone))",
        (
            r"\b(?:take|get|drop|strike|cross|scratch|pull|remove|delete|wipe) (?:\w+ ){1,5}?(?:off|from|out of) (?:of )?(?:your|the|this|that|all) (?:\w+ ){0,2}?"
            r"(?:lists?|system|database|records?|files?|books?|dial\w*|contacts|rotation)\b"
        ),
        rf"\b(?:can|could|will|would) you (?:please |just )?not (?:\w+ )?{_EN_TELL}\b|\bavoid (?:\w+ )?{_EN_THING}\b",
        r"\b(?:be|get|been) (?:removed|deleted|taken off|unsubscribed|erased)\b",
        r"\bnot (?:to )?be (?:called|texted|contacted|messaged|disturbed|bothered)\b",
        r"\b(?:un ?subscri\w*|unsuscri\w*|unsubs?|opt(?:ing)? (?:\w+ )?out|optout)\b",
        rf"\b(?:do not|dont|no longer|not|never) (?:\w+ )?(?:want|wish|like|need|care|wanna) (?:\w+ ){{0,4}}?{_EN_THING}\b",
        r"\b(?:do not|dont|no longer) (?:want|wish) (?:\w+ ){0,2}?(?:hear|receiv\w*|get) (?:\w+ ){0,3}?(?:from|this|these|anything|any)\b",
        rf"\bno (?:more|further|additional) (?:of \w+ )?{_EN_THING}\b",
        r"\b(?:lose|loose|forget|block) (?:my|this) (?:\w+ )?number\b",
        rf"\b(?:rather|prefer|like) (?:to )?not (?:to )?(?:\w+ )?(?:receiv\w*|get|hear|be \w+ed|have|{_EN_TELL})\b",
        rf"\b(?:refrain|desist) from (?:\w+ ){{0,2}}?{_EN_THING}\b|\b{_EN_TELL} (?:me|us|here) no more\b",
        r"\boff (?:of )?(?:your|the|this|that) (?:\w+ ){0,2}?(?:lists?|database|system|books)\b",
        rf"^(?:please |and )?no {_EN_THING}(?: please| to this number| at all)?$",
        r"\bleave (?:me|us) (?:the \w+ )?(?:alone|be)\b",
        r"\b(?:revok|withdraw|rescind)\w* (?:\w+ ){0,2}?(?:consent|permission)\b",
    ),
    hints=(
        (
            r"(?<!bus )(?<!train )(?<!next )(?<!last )(?<!non )(?<!the )(?<!a )(?<!\bi )(?<!he )\b(?:stop|quit|cease|desist|enough)\b"
            r"(?! (?:by|in|at|over|off|on|for|near|signs?|lights?|and go|n go|smoking|drinking|[0-9]+)\b)"
        ),
        r"\b(?:do not|dont|no longer|never) (?:want|wanna|need) (?:this|these|those|that|it|any\w*|you|to (?:hear|be|get))\b",
        r"\b(?:want|let me|count me) (?:out|off)\b",
        r"\bwrong (?:number|person)\b|\bnot interested\b|\bno interest\b",
        r"\b(?:spam\w*|harass\w*|scam\w*|lawyer|attorney|police|fcc|ftc|tcpa)\b|\breport (?:you|this|u)\b",
        (
            r"\b(?:go away|(?:fuck|f|piss|buzz|sod|bugger|bog|back|naff) off|shut up|get lost|get stuffed|jog on|do one|cut it out|knock it off"
            r"|give it a rest|pack it in|give over|get a life|(?:bother|bug|annoy) (?:some|any)(?:one|body) else)\b"
        ),
        r"\bpassed away\b|\bdeceased\b|\b(?:is|he|she) (?:died|dead)\b|\b(?:forget|forget about) (?:me|us)\b",
        r"\b(?:fed up|had it with|sick of|tired of|sick and tired|block(?:ing|ed)? (?:you|this|your)|sue you|reporting you)\b",
        r"\b(?:not|isnt|aint) (?:\w+ )?(?:number|phone) (?:any ?more|any longer)\b|\bno (?:one|body) (?:here )?(?:by|called) (?:that|this)\b",
        r"\b(?:did not|didnt|never) (?:sign(?:ed)? up|subscribe\w*|consent\w*|opt(?:ed)? in|agree\w*)\b",
        r"\b(?:no ?(?:one|body)|not|never|didnt|havent) (?:\w+ )?ask(?:ed)? (?:for|you|to)\b|\bno more(?: of (?:this|these|it|that|your)\b|$)",
        r"\b(?:not|never|no|without) (?:\w+ ){0,2}?(?:consent|permission|authori[sz]\w*)\b|\b(?:lay off|leave it out|rid of you)\b",
        r"\bhow did you get (?:my|this)\b|\bwho gave you (?:my|this)\b|\benough (?:already|of)\b|\bno thanks? (?:you )?stop\b",
    ),
    opposites=(
        (
            r"\b(?:dont|do not|(?<!you )never|cant|cannot|can not|wont|didnt|did not|couldnt|could not|wouldnt|would not|unable to|please not)(?: ever)? (?:stop|quit|end|remove|delete|unsubscribe|cancel|opt ?out)"
            r"(?: \w+){0,3}"
        ),
        r"\b(?:un ?subscribed|opted ?out) by (?:mistake|accident)\b",
    ),
    nots=r"\b(?:no|not|never|nobody|none|dont|didnt|wont|without|any ?more|any longer|longer|shouldnt)\b",
    invites=r"\b(?:later|tomorrow|back|again (?:please|pls|tomorrow)|re ?send|missed|(?:call|text|txt|ring|message) me|(?:hear|get) you|get through|who is|changed|hesitate|answer\w*|use this|(?:not|didnt|never|havent) (?:\w+ )?(?:receiv\w*|got|get|have)|received)\b",
    limits=r"\b(?:before|until|till|after|today|tonight|tomorrow|during|between|at work|so (?:early|late)|this (?:week|month))\b",
    away=r"\b(?:(?:stop|quit|ceas)(?!ped)\w*|remov\w*|delet\w*|eras\w*|refus\w*|revok\w*|withdraw\w*|enough\b|(?:sick|tired|done|fed up) (?:of|with)|(?:take|get|took) (?:\w+ ){1,3}(?:off|down|out)\b|no longer|not consent|dont consent|no consent|no permission|object to|bugging|harass\w*|annoy\w*|block\w*|unwanted|permanently|bin\b|ditch|trash|scrap\b|destroy|dump|purge|avoid|refrain|desist|no more\b|(?:dont|do not|never|not|didnt|did not) (?:want|wish|agree|ask|authori|permit|sign|give|gave)|without my|unlawful|illegal|privacy|rid of)",
    about=r"\b(?:ring(?:s|ing)?\b|call|text|messag|contact|phone|number|list|data\b|database|sms|email|survey|reminder|communicat|system|records?\b|campaign|line\b)",
)
_FR_TELL: Final = (
    r"(?:r?app?el\w*|telephon\w*|re?contact\w*|contact\w*|ecri[rtv]\w*|envo[iy]\w*|derang\w*|sollicit\w*|joindre|relanc\w*|importun\w*"
    r"|demarch\w*|embet\w*|emmerd\w*|harcel\w*|spam\w*|saoul\w*)"
)
_FR_THING: Final = (
    r"(?:app?els?|rappels?|sms|messages?|textos?|mails?|pubs?|publicites?|sollicitations?|envois?|demarchage)"
)
_FRENCH: Final = Patterns(
    wishes=(
        rf"\bne (?:plus|jamais) (?:\w+ ){{0,2}}?{_FR_TELL}\b",
        rf"\bne? (?:\w+ ){{0,2}}?{_FR_TELL}(?: \w+){{0,2}}? (?:plus|jamais)\b",
        rf"\bne? (?:\w+ )?(?:veux|souhaite|desire|voudrais|voulons|souhaitons) (?:plus|pas) (?:\w+ ){{0,2}}?(?:recevoir|{_FR_TELL}|{_FR_THING})\b",
        rf"\b(?:arr?et\w+|cess\w+|stop\w*|mettez fin)(?: (?:d|de|a|aux|avec|l|les|vos|ces|tout|me|m|moi|nous)){{0,3}} (?:{_FR_TELL}|{_FR_THING})\b",
        (
            r"\b(?:retir|supprim|enlev|effac|ray|ot|exclu|sort|vir|degag)(?:er|ez|e|es|s) (?:(?:moi|nous)\b|(?:mon|mes|ma|ce|le) (?:numero|nom|coordonnees"
            r"|contact|donnees|telephone|portable))"
        ),
        (
            r"\b(?:retir|supprim|enlev|effac|ray|ot|exclu|sort|vir|radi|biff)\w* (?:\w+ ){0,4}?(?:de|des|du|dans) (?:vos|votre|la|les|cette|ta|toutes vos) "
            r"(?:\w+ )?(?:listes?|fichiers?|bases?|contacts?|registres?|donnees|systeme|repertoire)\b"
        ),
        rf"\b(?:evit|abst\w+ vous|abstenir)\w* (?:\w+ )?(?:de |d )(?:m |me |nous )?{_FR_TELL}\b|\b(?:refus|interdi)\w* (?:\w+ ){{0,3}}?{_FR_TELL}\b",
        r"\b(?:desinscri\w*|desabonn\w*)\b",
        rf"\bplus (?:d |de |aucun |aucune )(?:\w+ )?{_FR_THING}\b",
        (
            r"(?<!peux )(?<!peut )(?<!pu )(?<!pouvais )\b(?:plus|jamais)(?: (?:me|m|nous))* (?:r?app?ell?er?|r?app?ele[rz]?|recontacter|contacter|ecrire"
            r"|telephoner|deranger)\b"
        ),
        r"\b(?:r?app?ele[zr]|ecrivez|envoyez|(?:re)?contactez|derangez|harcelez|embetez|telephonez)(?: (?:moi|nous|ici))? (?:plus|jamais|pas)\b",
        rf"\b(?:je|on) (?:\w+ )?(?:veux|veut|souhaite|desire) (?:plus|pas) (?:\w+ ){{0,3}}?(?:recevoir|entendre|{_FR_TELL}|{_FR_THING})\b",
        rf"\bprefer\w* (?:\w+ )?(?:ne )?(?:plus|pas) (?:\w+ )?(?:recevoir|etre|{_FR_TELL})\b",
        rf"\b(?:aucun|aucune|stop au|stop aux|stop a) (?:autres? )?{_FR_THING} (?:svp|s il|merci|a l avenir)",
        rf"\b{_FR_THING} (?:non (?:desire|souhaite|sollicite)\w*|indesirables?)\b|^pas de (?:pubs?|publicite|demarchage)\b",
        r"\blach\w* (?:moi|nous)\b|(?<!ai )(?<!avez )\b(?:oubli|perd)(?:e|es|ez|ons|s)? (?:mon|ce) numero\b",
        r"\blaiss\w* (?:moi|nous) (?:tranquilles?|en paix)\b|\b(?:fich|fout)\w* (?:moi|nous) la paix\b",
        r"\b(?:je m oppose|(?:retir|revoqu)\w* mon consentement)\b",
    ),
    hints=(
        r"\b(?:arr?etez?|arr?eter|cessez|cesser)(?= (?:ca|tout|maintenant|de|d|avec|vos|votre|immediatement|je|enfin|un peu)\b|$)",
        r"\b(?:rien|pas|jamais) (?:\w+ )?(?:demande|donne (?:mon|de) \w+|autorise|consenti|accepte|signe)\b|\bsans mon (?:accord|consentement|autorisation)\b",
        r"\b(?:ca suffit|marre|ras le bol|j en peux plus|saoule\w*|relous?|oubliez (?:moi|nous)|inutile)\b",
        r"\b(?:foutez le camp|fous le camp|degage\w*|casse toi|cassez vous|allez vous faire|va te faire)\b",
        r"\bne? (?:\w+ ){0,2}?(?:veux|souhaite|voulons|veut) (?:plus|rien)\b|\b(?:pas la peine|inutile) de\b",
        r"\bpas interesse\w*\b|\b(?:faux|mauvais) numero\b|\berreur de (?:numero|personne)\b",
        r"\b(?:spam\w*|harcel\w*|cnil|bloctel|plainte|police|gendarmes?|avocat\w*|arnaque\w*|signal 33700|decede\w*|est morte?(?! de))\b",
    ),
    opposites=(
        r"\bn (?:arret\w*|cess\w*) (?:pas|jamais|surtout pas)(?: \w+){0,3}",
        r"\bne (?:vous |me |m )?(?:desinscri|desabonn|supprim|retir)\w* pas\b",
        rf"\bpourquoi (?:\w+ ){{0,3}}?(?:ne |n |m |me )*{_FR_TELL}(?: \w+)?(?: plus| pas| jamais)\b",
    ),
    nots=r"\b(?:ne|n|pas|plus|jamais|rien|aucune?|sans|personne)\b",
    invites=r"\b(?:plus tard|demain|r?app?ele[rz] moi|r?app?elle moi|rappelez|renvo\w+|recue?s?|pas eu|coupe|entendu\w*|arrive pas|change|repond\w*|envoyez moi|ecrivez moi|retrouve|oublie)\b",
    limits=r"\b(?:avant|apres|jusqu|aujourd|ce soir|demain|pendant|entre|cette semaine)\b",
    away=r"\b(?:retrait|sortie de|stop (?:a|aux)|arret(?:ez|er)|cess|supprim|suppression|effac|retir|enlev|otez|oter|ray[ei]|refus|oppos|marre|assez\b|ne consens|n autorise|ne plus|lach|oubli|vire[zr]|virer|sortez|radi[ea]|biff|bloqu|evit|abst|interdi|desinscri|sans mon|(?:veux|veut|souhaite|desire) (?:plus|pas)|(?:jamais|pas) (?:donn|demand|autoris|consent|accept)|inutile|embet|emmerd|jamais\b|derang|importun|harcel)",
    about=r"\b(?:appel|sms|messag|texto|contact|numero|liste|fichier|donnees|coordonnees|telephon|demarch|fiche|mail|enquete|sondage|base\b)",
)
_DE_TELL: Final = (
    r"(?:an(?:zu|ge)?ruf\w*|ruf\w*|schreib\w*|anschreib\w*|kontakt\w*|meld\w*|schick\w*|send\w*|zusend\w*|belastig\w*|belaestig\w*|stor\w*"
    r"|telefonier\w*|simsen|nerv(?:t|en|e|st)?|spam\w*|bombardier\w*|terrorisier\w*|klingel\w*|bimmel\w*|luu?te\w*|schrii?b\w*|behellig\w*)"
)
_DE_THING: Final = r"(?:anruf\w*|sms|nachricht\w*|mitteilung\w*|werbung|werbe\w*|mails?|telefonat\w*|kontaktaufnahme\w*|belastigung\w*|\w*terror|spam|whatsapps?|zeug|texte|infos)"
_GERMAN: Final = Patterns(
    wishes=(
        rf"\bkeine?n? (?:weiteren? )?{_DE_THING}(?: \w+){{0,3}}? mehr\b|\bkeine?n? weiteren? {_DE_THING}\b",
        rf"\b(?:nicht|nie|niemals)(?: mehr| wieder| weiter| langer)+ (?:\w+ ){{0,2}}?(?:{_DE_TELL}|belieferte?)\b",
        rf"\b{_DE_TELL} (?:\w+ ){{0,4}}?(?:nicht|nie|niemals|nimmer)(?: \w+){{0,2}}? ?(?:mehr|wieder|weiter)\b",
        rf"\b(?:will|mochte|moechte|wunsche|wuensche|wollen|mag|brauche)(?: \w+){{0,3}}? keine?n? (?:\w+ ){{0,2}}?{_DE_THING}\b",
        (
            r"\b(?:aus|von) (?:\w+ ){0,2}?(?:verteiler\w*|\w*listen?|datenbank\w*|system|kartei|datei|speicher|adressbuch|kontakten|kundendatei)"
            r"(?: \w+){0,3}? (?:nehm|losch|loesch|streich|gestrichen|entfern|austrag|raus|tilg|genommen)\w*"
        ),
        r"\b(?:nehm|losch|loesch|streich|entfern|trag|nimm)\w* (?:\w+ ){0,5}?(?:aus|von) (?:\w+ ){0,2}?(?:verteiler\w*|\w*listen?|datenbank\w*|system|kartei|datei)\b",
        rf"\b{_DE_THING}(?: \w+){{0,3}}? (?:einstellen|einzustellen|unterlassen|stoppen|abstellen|abbestellen|beenden|sein lassen)\b",
        r"\b(?:entzieh|widerruf|verweiger|zieh)\w* (?:\w+ ){0,4}?(?:erlaubnis|einwilligung|zustimmung|genehmigung)\b",
        r"\b(?:sperr|blockier|entfern)\w* (?:sie )?(?:bitte )?(?:meine|diese) (?:\w*nummer|telefon\w*)\b",
        rf"\b(?:nie|nicht) mehr (?:\w+ )?{_DE_THING}\b",
        rf"\bkeine?n? (?:bock|lust|nerven?|interesse)(?: mehr)?(?: auf| an| fur)?(?: \w+){{0,3}}? {_DE_THING}\b",
        rf"\b{_DE_THING}(?: \w+){{0,3}}? (?:unerwunscht|unerwuenscht|nicht erwunscht|nicht gewunscht|verbeten|verboten)\b",
        rf"\b(?:unerwunschte|unerwuenschte)[rn]? {_DE_THING}\b|\b(?:verbitte|verbiete) (?:\w+ ){{0,4}}?{_DE_THING}",
        rf"\bschluss (?:\w+ ){{0,2}}?mit (?:\w+ ){{0,2}}?{_DE_THING}\b|\bgenug (?:\w+ ){{0,2}}?von (?:\w+ ){{0,2}}?{_DE_THING}\b",
        r"\b(?:nichts|nie|niemals) (?:mehr |wieder )(?:\w+ ){0,3}?(?:horen|hoeren|lesen|bekommen|erhalten)\b",
        r"\b(?:vergiss|vergesst|vergessen sie)(?: bitte)? (?:meine|diese) (?:\w*nummer|kontakt\w*)\b",
        (
            r"\b(?:nehm\w*|nimms?t?|trag\w*|streich\w*|schmeiss\w*|werft|lasst) (?:sie |ihr )?(?:bitte )?(?:mich|mi|uns|meine \w+) (?:\w+ ){0,4}?"
            r"(?:raus|heraus|runter|ausse)\b"
        ),
        r"\b(?:meine|diese) (?:\w*nummer|daten|adresse)\b(?: \w+){0,5}? (?:zu )?(?:nehmen|loschen|loeschen|entfernen|streichen|austragen)\b",
        rf"\bbitte nicht (?:\w+ )?{_DE_TELL}\b",
        (
            r"\b(?:will|mochte|moechte|wunsche|wuensche|wollen|mag) (?:\w+ ){0,4}?(?:nicht mehr|nie wieder|nicht langer)(?: \w+){0,2}?"
            rf" (?:bekomm\w*|erhalt\w*|haben|{_DE_TELL})\b"
        ),
        rf"\b(?:hor|hort|horen|hoer|hoert|hoeren) (?:\w+ )?auf (?:\w+ ){{0,3}}?(?:{_DE_TELL}|{_DE_THING}|damit)\b",
        rf"\b(?:stopp\w*|unterlass\w*|beend\w*) (?:\w+ ){{0,2}}?{_DE_THING}",
        r"\b(?:losch|loesch|streich|entfern)\w* (?:sie )?(?:bitte )?(?:mich|uns|meine?n? \w+|diese nummer)\b",
        r"\b(?:nehm\w*|nimm|tragt?|tragen|streich\w*) (?:sie )?(?:bitte )?(?:mich|uns|meine \w+) (?:bitte )?(?:von|aus|raus|runter)\b",
        r"\b(?:abmelden|abzumelden|abmeldung|abbestell\w*|austragen|auszutragen|abgemeldet werden)\b",
        r"\blass\w* (?:sie )?(?:mich|uns) (?:\w+ )?in (?:ruhe|frieden)\b",
        r"\b(?:ich widersprech\w*|widerruf\w* (?:\w+ ){0,2}?einwilligung)\b",
    ),
    hints=(
        r"\b(?:hor|hort|horen|hoer|hoert|hoeren|aufhoren|aufhoeren) (?:\w+ ){0,2}?auf\b|\b(?:aufhoren|aufhoeren|stopp|schluss (?:\w+ )?mit|schluss jetzt|jetzt ist schluss|reicht(?: es| s)? jetzt|jetzt reicht)\b",
        r"\b(?:hau|haut|hauen sie) ab\b|\b(?:verpiss\w*|verzieh\w*|zieht? leine|verschwind\w*|schnauze|ohne mich|kein bedarf|nerv(?:t|en|ig)?|terror)\b",
        r"\b(?:kein bock|keine lust|keinen bock|die nase voll|die schnauze voll)\b|\b(?:vergiss|vergesst) (?:mich|uns)\b",
        r"\b(?:will|mochte|moechte|wollen) (?:ich |wir )?(?:das|es|sowas|so was|dies) (?:alles )?nicht$",
        r"\b(?:lassen sie|lasst|lass) (?:das|es|den \w+)\b|\b(?:sehen|seht) (?:\w+ ){0,6}?ab\b|\babzusehen\b",
        r"\b(?:will|mochte|moechte|wollen) (?:\w+ ){0,3}?(?:nicht mehr|nichts mehr|nie wieder|kein\w* (?:\w+ )?mehr)\b",
        r"\b(?:nie|nicht|keine?) (?:\w+ ){0,3}?(?:zugestimmt|eingewilligt|erlaubt|erlaubnis|einwilligung|zustimmung|gebeten|angefordert|bestellt)\b",
        r"\b(?:unterlass\w*|sein lassen|bleiben lassen|mag (?:das|des|dies|es) nicht)\b",
        r"\bkein interesse\b|\bnicht interessiert\b|\bfalsche nummer\b|\bverwahlt\b|\bverwaehlt\b",
        r"\b(?:spam|polizei|belastig\w*|belaestig\w*|anwalt\w*|anzeige|bundesnetzagentur|dsgvo|verstorben|widerspruch|widerruf\w*|kundig\w*|kuendig\w*)\b",
    ),
    opposites=(
        r"\b(?:hor\w*|hoer\w*) (?:\w+ ){0,2}?nicht auf\b(?: \w+){0,3}",
        r"\bnicht (?:abmelden|abbestellen|austragen|loschen|loeschen|aufhoren|aufhoeren|stoppen|streichen)\b(?: \w+){0,3}",
        r"\b(?:warum|wieso|weshalb) (?:\w+ ){0,4}?(?:nicht|nie|niemand|keiner) (?:mehr|wieder)\b(?: \w+){0,2}",
        r"\bstopp? (?:and|n|und) go\b",
    ),
    nots=r"\b(?:nicht|nie|niemals|kein\w*|niemand\w*|nichts|ohne|weg|wen anders|jemand anders|andere[rn]?)\b",
    invites=r"\b(?:spater|spaeter|morgen|nochmals?|noch mal|noch einmal|zuruck\w*|zurueck\w*|bekommen|erhalten|gekommen|verstehen|verstanden|geandert|geaendert|erreich\w*|melde mich|gehort|gehoert|weitere fragen)\b",
    limits=r"\b(?:vor|nach|bis|heute|morgen|zwischen|wahrend|diese woche)\b",
    away=r"\b(?:losch|loesch|streich|gestrichen|entfern|abmeld|stopp|unterlass|kein\w* weiter|nie mehr|nie wieder|nicht mehr|verbiet|untersag|widersprech|einwillig|satt\b|genug\b|ruhe\b|belastig|nerv|verzicht|sperr|blockier|einstell|abstell|(?:will|mochte|moechte|wollen|wunsche|brauche) (?:\w+ ){0,3}?kein|austrag|entzieh|vermeid|loswerden|abseh|unerwunscht|vergess|vergiss|\braus\b|bock\b|schluss\b|aufhor|nicht einverstanden)",
    about=r"\b(?:anruf|anzuruf|angeruf|sms|nachricht|nummer|daten|liste|verteiler|kontakt|umfrage|mail|werbung|telefon|ruft\b|rufen\b|system\b|datei)",
)
_ES_TELL: Final = (
    r"(?:(?:llam|mand|envi|contact|molest|telefone|habl|fastidi|acos|textee|timbr|rall|importun|incord)(?:en?|es|eis)"
    r"|(?:llam|mand|envi|contact|molest|marc|telefone|habl|fastidi|acos|busc|texte|import?un)ar(?:me|nos|le|les)?"
    r"|escrib(?:a|an|as|ais|ir|irme|irnos)|insist(?:a|an|as|ais|ir)|jod(?:a|an|as|er)|(?:marqu|busqu|comuniqu)(?:en?|es|eis))"
)
_ES_THING: Final = r"(?:llamadas?|mensaj\w*|textos?|sms|publicidad|notificaciones|avisos)"
_SPANISH: Final = Patterns(
    wishes=(
        rf"\b(?:no|nunca|jamas)(?: (?:me|nos|mas|se|vuelvan?|vuelvas|vuelvan a|a|quiero que|deseo que|por favor|deben?))* {_ES_TELL}\b",
        rf"\bno (?:quiero|deseo|quisiera|queremos) (?:\w+ ){{0,3}}?(?:recib\w*|{_ES_THING}|ser contactad\w)\b",
        rf"\b(?:dej\w+|par(?:e|en|a|es)|ces\w+|basta|deteng\w+) (?:ya )?(?:de|con)(?! que\b) (?:\w+ ){{0,2}}?(?:{_ES_TELL}|{_ES_THING})\b",
        rf"\b(?:no|ni|nada de|nunca) (?:mas |plus )?{_ES_THING}(?: nunca)? ?(?:mas|plus|por favor|$)|\b(?:no|ni|nunca) (?:mas|plus) {_ES_THING}\b",
        rf"\b(?:no|nunca|jamas) (?:mas|plus) (?:me |nos )?{_ES_TELL}\b|\bprefer\w* (?:que )?no (?:\w+ )?(?:recib\w*|{_ES_TELL})\b",
        (
            r"\bno (?:quiero|deseo|queremos|sigan?|sigas|anden|esten?)(?: que)?(?: (?:me|nos|mas|esten?|sigan?|anden))* "
            r"(?:llam|mand|envi|contact|molest|marc|habl|fastidi|busc|acos|insist|escrib|jod)(?:ando|iendo)(?:me|nos)?\b"
        ),
        rf"\b(?:evit|absteng)\w* (?:de )?(?:\w+ )?{_ES_TELL}\b",
        r"\b(?:borr|elimin|quit|retir|suprim|remuev|sac|saqu|tach)\w* (?:\w+ ){1,5}?(?:de|del) (?:\w+ )?(?:listas?|bases?|registros?|sistema|agenda|archivos?)\b",
        r"\b(?:borr|elimin)(?:a|e|en|ad)(?:me|nos)\b",
        r"\b(?:quit|saqu|sac|remuev)(?:a|e|en|ad)(?:me|nos)(?: (?:ya|por favor))?(?:$| de\b| del\b)",
        r"\b(?:olvid\w*|pierd[ae]n?)(?:se)? (?:de )?(?:mi|este) (?:numero|telefono|contacto)\b",
        rf"\b{_ES_THING} (?:no (?:desead|solicitad)[oa]s?|indesead[oa]s)\b",
        r"\b(?:quit|borr|elimin|sac|saqu|remuev|suprim)\w*(?:me|nos)\b(?: \w+){0,3}? (?:lista|base|registros?|sistema|agenda)\b",
        (
            r"\b(?:borr|elimin|quit|retir|suprim|remuev|sac|saqu)\w* (?:por favor )?(?:mi|mis|este|nuestro) (?:\w+ )?(?:numero|telefono|datos?|contacto"
            r"|nombre|celular|movil)\b"
        ),
        r"\b(?:dar|doy|dame|deme|denme|darme|darnos|dan) (?:me )?de baja\b|\bdesuscri\w*\b|\b(?:cancel|anul)\w* (?:mi |la )?suscripcion\b",
        r"\bdej\w*(?:me|nos) (?:ya )?(?:en paz|tranquil\w*|de (?:llamar|molestar|escribir)\w*)\b",
        r"\b(?:revoco|retiro) (?:mi |el )?consentimiento\b|\bme opongo\b",
    ),
    hints=(
        r"\b(?:paren|pare|pares|dejen|deje|dejes|basta|deteng\w+) (?:ya|de)\b|\b(?:paren)\b(?! en\b)|\b(?:dejenme|dejadme|dejame)(?: (?:ya|en|tranquil\w+)\b|$)|\bcort(?:en|a|e|ad)la\b",
        rf"\bbasta\b{_NOT_ENOUGH}",
        r"\b(?:hart[oa]s?|cansad[oa]s?|hasta (?:las narices|la coronilla|los \w+)|pesad[oa]s?|plastas?|olvid\w+ de mi|olvid[ae]n?me)\b",
        r"\b(?:vayan ?se|larguense|a la mierda|no jodan|no insist\w*|no fastidi\w*|ya estuvo|ya esta bien de)\b",
        r"\b(?:nadie|no|nunca|jamas) (?:\w+ ){0,2}?(?:pidio|pedi|pedimos|autorice|autorizado|solicite|di (?:mi )?(?:permiso|numero|consentimiento))\b",
        r"\bsin mi (?:permiso|consentimiento|autorizacion)\b|\b(?:larguense|pierdanse|desaparezcan)\b",
        r"\bno (?:autorizo|consiento|doy (?:mi )?(?:permiso|consentimiento))\b",
        r"\bno (?:quiero|queremos|deseo) (?:\w+ )?(?:saber|nada|mas)\b|\bno ser (?:llamad|contactad)\w\b",
        r"\bno (?:me|nos) interesa\b|\bno estoy interesad\w\b|\bnumero equivocado\b|\bse equivoc\w*\b",
        r"\b(?:spam|policia|guardia civil|acoso|abogad\w|denunci\w*|estafa|fallecio|murio|robinson|profeco|repep)\b",
    ),
    opposites=(
        r"\bno (?:me )?(?:dej\w*|par(?:a|e|an|en|es|ar)|ces\w*) de\b(?: \w+){0,3}",
        r"\bno (?:me )?(?:den|de|doy|quiero darme) de baja\b|\bno (?:me )?(?:borr|elimin|quit)\w*(?: \w+){0,3}",
        r"\bpor que (?:ya )?no (?:me |nos )?\w+(?: mas)?\b",
    ),
    nots=r"\b(?:no|nunca|jamas|ni|nadie|sin|cancel\w*|ya basta)\b",
    invites=r"\b(?:despues|mas tarde|manana|luego|otra vez|de nuevo|vuelv(?:an|e|a) a|ll[aá]m[ae]n?me|mand[ae]n?(?:me|lo|melo)|envi[ae]n?(?:me|lo|melo)|recibi|recibido|lleg\w+|cambi\w+|se corto|contest\w*|tengo|puedo|se oye)\b",
    limits=r"\b(?:antes|despues|hasta|hoy|manana|entre|durante|esta (?:semana|noche))\b",
    away=rf"\b(?:borr[aeo]|elimin|quit[ae]|retir|saqu|paren\b|pare\b|dejen\b|deje\b|basta\b{_NOT_ENOUGH}|cansad|hart[oa]|no autoriz|opon|(?:nunca|jamas) (?:mas|quis|di\b|he|me|pedi|autori)|ya no (?:quier|dese|me\b|nos|mas)|no (?:quier|queremos|dese|pedi)|evit|absteng|prohib|bloque|olvid|tach|sin mi\b|sigan\b|no mas\b|molest|suprim|cancelacion|supresion|rectificacion)",
    about=r"\b(?:llam|mensaj|sms|texto|numero|telefono|lista|datos|contact|base\b|encuesta|publicidad|propaganda|registro|sistema|recib)",
)
_PT_NOT: Final = r"(?:nao|n|nem|nunca|jamais)"
_PT_TELL: Final = (
    r"(?:(?:cham|import?un|chatei|procur|assedi)(?:e|em|es|ar|arem)|(?:aborrec|insist)(?:a|am|er|ir)|chatear|procurar|lig(?:ue|uem|ues|ar|arem)|mand(?:e|em|es|ar|arem)|envi(?:e|em|es|ar|arem)|contac?t(?:e|em|es|ar|arem)|incomod(?:e|em|ar)"
    r"|perturb(?:e|em|ar)|escrev(?:a|am|er)|telefon(?:e|em|es|ar|arem)|(?:entr(?:e|em|ar)) (?:mais )?em contac?to)"
)
_PT_THING: Final = r"(?:ligac\w+|chamadas?|mensage\w+|sms|torpedos?|contac?tos?|propaganda|publicidade)"
_PORTUGUESE: Final = Patterns(
    wishes=(
        (
            rf"\b{_PT_NOT} (?:me |mais |nos )*(?:ligam?|mandam?|enviam?|escrevem?|telefonam?|enchem?|perturbam?|procuram?|incomodam?|ligando|mandando)"
            r" (?:\w+ ){0,3}?mais\b"
        ),
        rf"\b{_PT_NOT} me (?:mais )?(?:liga|manda|chama|envia|escreve|telefona|enche|perturba|procura|incomoda|amola|enche)\b",
        rf"\b(?:nada de|sem|sem mais|nao mais|mais nenhuma?) (?:mais )?{_PT_THING}(?: mais)?(?: por favor)?$",
        rf"\bprefiro (?:que )?{_PT_NOT} (?:\w+ )?(?:receb\w*|ser|{_PT_TELL})\b",
        (
            rf"\b{_PT_NOT} (?:quero|desejo|queremos|fiquem?|continuem?|continue)(?: que)?(?: (?:me|mais|fiquem?|voces?|vcs|continuem))* "
            r"(?:lig|mand|envi|contact|contat|incomod|perturb|procur|cham)ando\b"
        ),
        rf"\b(?:evit|abst|escus)\w* (?:de |se de )?(?:me )?{_PT_TELL}\b",
        r"\b(?:tir|remov|apag|exclu|elimin|retir|delet|risc)\w* (?:\w+ ){1,5}?(?:da|desta|dessa|das|do|deste|de) (?:\w+ )?(?:listas?|cadastro|base|sistema|registros?|registos?|agenda)\b",
        r"\bser (?:removid|retirad|exclu?id|tirad|apagad)[oa]\b",
        r"\besquec\w* (?:o )?(?:meu|este|esse) (?:numero|contac?to|telefone)\b",
        r"^(?:por favor )?me (?:tir|remov|exclu|apag|delet)\w*(?: (?:d\w+|ja|logo|por favor|pf)\b|$)",
        rf"\b{_PT_THING} (?:nao (?:solicitad|desejad|autorizad)|indesejad)[oa]s?\b",
        rf"\b(?:nao|n|nunca|jamais)(?: (?:me|nos|mais|voltem?|voltes|tornem?|a|quero que|por favor|devem?))* {_PT_TELL}\b",
        rf"\b{_PT_NOT} (?:quero|desejo|gostaria|queremos|pretendo|to afim de|estou a fim de) (?:\w+ ){{0,3}}?(?:receb\w*|{_PT_THING}|ser contac?tad\w)\b",
        rf"\b(?:par(?:e|em|a|ar)|deix(?:e|em|a)|chega|basta|cess\w*) (?:ja )?(?:de|com) (?:\w+ ){{0,2}}?(?:{_PT_TELL}|{_PT_THING})\b",
        (
            r"\b(?:tir|remov|apag|exclu|elimin|retir|delet|risc)\w* (?:me )?(?:\w+ )?(?:meus?|minha|este|esse|o meu|os meus) (?:\w+ )?(?:numero|telefone"
            r"|telemovel|dados|contac?to|nome|celular|cadastro)\b"
        ),
        r"\b(?:tir|remov|retir|exclu)\w* (?:me )?(?:da|desta|dessa|das|do|deste) (?:sua |vossa )?(?:lista|listas|cadastro|base)\b",
        (
            r"\b(?:descadastr\w*|desinscrev\w*)\b|\bsair d(?:a|esta|essa)s? (?:sua |vossa )?lista\b"
            r"|\bcancel\w* (?:a |minha |a minha )?(?:inscricao|assinatura|subscricao)\b"
        ),
        r"\b(?:deix\w* me|me deix\w*) em paz\b",
        r"\b(?:revog|retir)\w* (?:o )?(?:meu )?consentimento\b|\b(?:me oponho|oponho me)\b",
    ),
    hints=(
        rf"\b(?:parem|pare)\b|\b(?:chega|basta)\b{_NOT_ENOUGH}|\bpara (?:com isso|ja)\b|\b(?:me esquec(?:e|a|am|em)|esquec(?:e|a|am|em) (?:me|de mim))\b",
        r"\b(?:saco cheio|encher o saco|enchendo o saco|cansei|cansad[oa] de|fart[oa] de|nao aguento mais|larga do meu pe|vai encher|chatos? demais)\b",
        r"\b(?:ninguem|ngm|nao|n|nunca) (?:\w+ ){0,2}?(?:pedi|pediu|pedimos|autorizei|solicitei) (?:isso|isto|nada|ess\w+|est\w+|para|pra)\b",
        r"^some(?: daqui| da minha vida)?$|\b(?:sumam|vazem)\b|\bsem (?:a )?minha (?:autorizacao|permissao)\b|\bsem (?:o )?meu consentimento\b",
        r"\bnao (?:autorizo|consinto|dei (?:autorizacao|permissao|consentimento))\b",
        r"\bnao (?:quero|queremos|desejo) (?:mais|nada|saber)\b|\bnao ser contac?tad\w\b",
        r"\b(?:sem|nao tenho) interesse\b|\bnao me interessa\b|\bnumero errado\b|\bengano\b",
        r"\b(?:spam|policia|procon|advogad\w|golpe|denunci\w*|faleceu|morreu|assedio|anatel)\b",
    ),
    opposites=(
        r"\bnao (?:me )?(?:par(?:a|e|em|am|ar|aram)|deix\w*|cess\w*)\b(?: \w+){0,3}",
        r"\bnao (?:me )?descadastr\w*",
    ),
    nots=r"\b(?:nao|nunca|jamais|nada|ninguem|nem|sem|cancel\w*)\b",
    invites=r"\b(?:depois|mais tarde|amanha|de novo|novamente|outra vez|receb(?:i|eu)|chegou|me lig(?:a|ue)|caiu|atender|mudou|consegu\w+|consigo|resolvi\w*|retorn\w+|podem enviar|chama)\b",
    limits=r"\b(?:antes|depois|ate|hoje|amanha|entre|durante|esta (?:semana|noite))\b",
    away=rf"\b(?:remov|apag|exclu|tir(?:em|ar|e)\b|retir|parem\b|pare\b|chega\b|basta\b{_NOT_ENOUGH}|cansad|fart|nao autoriz|(?:nunca|jamais) (?:mais|dei|me|pedi|autori)|nao (?:quer|desej|pedi)|evit|abst|escus|proib|bloque|cess|esquec|risc[aeo]|sem minha|incomod|delet|nao consint|eliminacao)",
    about=r"\b(?:lig(?:ac|ue|ar)|mensage|sms|numero|telefon|telemovel|lista|dados|contat|contact|cadastro|base\b|pesquisa|propaganda|receb|nome\b)",
)
_IT_TELL: Final = (
    r"(?:(?:ri)?(?:chiam|contatt|telefon|mand|invi|disturb|cerc|import?un|assill|tormen?t|tempest|secc|scocci)"
    r"(?:ate|are|ar|atem|arm)(?:i|mi|ci|lo|la|li|le|vi|gli)?|(?:ri)?(?:scriv|romp)(?:ete|ere|er|etem)(?:i|mi|ci|lo|la|vi|gli)?"
    r"|(?:ri)?(?:chiami|scriva|mandi|invii|contatti|disturbi|telefoni|cerchi)(?:no)?|(?:farvi|farti|farsi) (?:piu )?(?:sentire|vivi|vivo))"
)
_IT_THING: Final = r"(?:messagg\w*|chiamate|telefonate|sms|pubblicita|comunicazioni)"
_ITALIAN: Final = Patterns(
    wishes=(
        rf"\bnon (?:(?:mi|me|ci|piu|plus|vi|lo|la|voglio che|dovete|deve|provate a) )*{_IT_TELL}\b",
        rf"\bnon (?:voglio|vogliamo|desidero) (?:piu |plus )(?:\w+ )?(?:ricev\w*|sentir\w*|{_IT_TELL}|{_IT_THING})\b",
        r"\bnon (?:voglio|vorrei|desidero) (?:piu )?(?:essere|venire) (?:piu )?\w+[ao]\b|\bnon essere (?:piu )?(?:ri)?(?:contattat|chiamat|disturbat)\w\b",
        rf"\b(?:mai piu|niente|niente piu|nessun altr[oa]|nessuna|basta con|stop) (?:altr\w+ |le |i |gli |ste |queste |vostre )*{_IT_THING}\b",
        rf"\bprefer\w* (?:di )?non (?:\w+ )?(?:ricev\w*|essere|{_IT_TELL})\b|\b{_IT_THING} (?:indesiderat|non (?:desiderat|gradit|richiest))\w\b",
        rf"\b(?:evit|asten|vieto|piant)\w* (?:di |dal )?(?:\w+ )?{_IT_TELL}\b",
        (
            r"\b(?:depenn|cancell|elimin|togl|lev|rimuov|tolt)\w* (?:\w+ ){1,5}?(?:da|dal|dalla|dalle|dagli|dai) (?:\w+ )?"
            r"(?:list[ae]|elench?[io]|archivi\w*|database|rubrica|registri?o?|sistem[ai])\b"
        ),
        r"\blasci(?:a|ate)?(?:mi|ci) (?:stare|perdere|in pace|tranquill\w)\b",
        r"\b(?:dimentica|dimenticate|dimenticatevi|perdete|scordatevi)(?: pure)? (?:il mio|del mio|questo) (?:numero|contatto|telefono)\b",
        rf"\b(?:la|di) (?:finite|finisca|finirla|finiamo|smettete|piantate|smetta)(?:la)? (?:di|con) (?:\w+ )?(?:{_IT_TELL}|{_IT_THING})\b",
        r"\b(?:depenn|cancell|elimin|togl|lev)\w* (?:subito )?(?:questo|il) (?:numero|contatto|nominativo)\b",
        rf"\bnon (?:voglio|desidero|vorrei|intendo|vogliamo) (?:\w+ ){{0,2}}?(?:ricev\w*|{_IT_THING}|essere (?:piu )?\w*(?:contattat|chiamat|disturbat)\w)\b",
        rf"\b(?:smett\w*|finit\w*|piantat\w*|cess\w*|basta)(?: subito| ora)? ?(?:di |con )?(?:\w+ )?(?:{_IT_TELL}|{_IT_THING})\b",
        r"\b(?:togl|cancell|rimuov|elimin|lev)(?:i|ie|e|a)?(?:te)?(?:temi|teci|mi|ci)\b",
        (
            r"\b(?:togl|cancell|rimuov|elimin)\w* (?:per favore )?(?:il |i |la )?(?:mio|miei|mia|questo) (?:\w+ )?(?:numero|contatto|dati|nome|telefono"
            r"|nominativo|cellulare)\b"
        ),
        r"\b(?:disiscriv\w*|disiscrizione|cancellarmi|togliermi|rimuovermi)\b|\bessere (?:cancellat|rimoss|tolt|eliminat)\w\b",
        r"\blasci(?:ate)?(?:mi|ci) in pace\b",
        r"\bnon (?:essere|venire) (?:piu )?(?:chiamat|contattat|ricontattat|disturbat)\w\b",
        r"\brevoc\w* (?:il )?(?:mio )?consenso\b|\bmi oppongo\b",
    ),
    hints=(
        r"\b(?:avete|hai|ha|mi avete) (?:\w+ )?(?:rotto|stancato|stufato|scocciato)\b|\b(?:rompete|rompere|scocciare|stuf[oai]|non ne posso piu|sparite)\b",
        r"\b(?:dimenticat\w+|dimentica|scordat\w+) di me\b|\bla (?:finite|finisca|finiamo|smettete|piantate)\b|\be (?:mort|mancat)[oa]\b|\bmai piu\b",
        r"\bnon (?:ho|abbiamo) (?:mai )?(?:\w+ )?(?:dato|autorizzato|acconsentito|chiesto|richiesto) (?:il|alcun|nessun|a|niente|nulla|di|quest\w+|l)\b",
        r"\bnessuno (?:\w+ ){0,3}?chiesto\b|\bsenza (?:il )?mio (?:consenso|permesso)\b",
        r"\bnon (?:autorizzo|acconsento|do il (?:mio )?consenso)\b|\b(?:andate|vai) a (?:quel paese|cagare)\b|\bvaffan\w+|\blasciatemi\b",
        rf"\bbasta\b{_NOT_ENOUGH}|\b(?:smett\w+|piantatela|finitela|finiscila|piantala)\b|\bnon (?:voglio|vogliamo) (?:piu|saperne|sapere)\b",
        r"\bnon mi interessa\b|\bnon sono interessat\w\b|\bnumero sbagliato\b|\bha sbagliato\b",
        r"\b(?:spam|carabinieri|polizia|avvocato|garante|opposizioni|denunci\w*|truffa|decedut\w|registro delle opposizioni|molestie)\b",
    ),
    opposites=(
        r"\bnon (?:la )?(?:smett|ferm|cess|cancell|togl)\w*(?: \w+){0,3}",
        r"\bperche non (?:mi|ci) \w+(?: piu)?\b",
    ),
    nots=r"\b(?:non|mai|nessun\w*|niente|nulla|senza|basta)\b",
    invites=r"\b(?:dopo|domani|piu tardi|di nuovo|richiamatemi|richiamate|ricevut\w+|arrivat\w+|rimand\w+|cambiat\w+|caduta|risponder\w*|sentit\w+|riesco|risolto)\b",
    limits=r"\b(?:prima|dopo|fino|oggi|domani|stasera|durante|questa settimana)\b",
    away=rf"\b(?:sparire|cancell|rimuov|rimozion|elimin|togli|smett|basta\b{_NOT_ENOUGH}|finit|stuf[oai]|non autorizz|nego|mai piu|evit|depenn|dimentic|sparit|blocc|vieto|diffid|piant|non (?:voglio|vogliamo|desider)|non ho mai (?:dato|autor|chiest|richiest)|senza (?:il )?mio|disturb|revoc|oppon|rifiut|molest)",
    about=r"\b(?:chiam|messagg|sms|numero|telefon|lista|elenco|dati\b|contatt|sondagg|pubblicit|archivi|consens|recapit)",
)
_DUTCH: Final = Patterns(
    wishes=(
        r"\bgeen (?:\w+ )?(?:berichten|berichtjes|sms\w*|telefoontjes|oproepen|reclame) meer\b",
        r"\b(?:niet|nooit) (?:meer|weer) (?:\w+ ){0,2}?(?:bel\w*|gebeld|contact\w*|stur\w*|stuur\w*|app\w*|sms\w*|benader\w*)\b",
        r"\b(?:bel|stuur|app|sms|contacteer|benader) (?:\w+ ){0,3}?(?:niet|nooit|geen)(?: \w+)? (?:meer|weer)\b",
        r"\bstop (?:met|de|dit) (?:\w+ ){0,2}?(?:bel\w*|stur\w*|berichten|sms\w*|appen)\b",
        r"\b(?:uitschrijven|afmelden|schrijf me uit|meld me af)\b|\bhaal (?:me|mij|mijn \w+) (?:van|uit)\b",
        r"\bverwijder (?:mij|me|mijn) ?(?:nummer|gegevens|telefoonnummer)?\b|\blaat (?:me|mij|ons) met rust\b",
    ),
    hints=(r"\b(?:geen interesse|niet geinteresseerd|verkeerd nummer|spam|advocaat)\b",),
    opposites=(r"\bstop (?:\w+ )?niet\b(?: \w+){0,3}",),
)
_RUSSIAN: Final = Patterns(
    wishes=(
        r"\bне (?:мне |нам |больше |сюда |надо |нужно |смеите )*(?:звони\w*|пиши\w*|писать|присыла\w*|беспоко\w*|шли\w*)\b",
        r"\b(?:прекрати\w*|перестан\w*|хватит) (?:\w+ )?(?:звон\w*|пис\w*|присыла\w*|рассыл\w*|сообщен\w*)\b",
        r"\b(?:отпис\w*|отпиш\w*)\b|\b(?:удали|убери|вычеркни|исключи)\w* (?:меня|мои|моих|наш) ?\w*\b",
        r"\bоставьте (?:меня|нас) в покое\b|\bотзываю согласие\b",
    ),
    hints=(r"\b(?:не интересует|неинтересно|ошиблись|спам|жалоб\w*|юрист\w*)\b",),
    opposites=(r"\bне (?:прекраща|переставаи|отписыва)\w*(?: \w+){0,3}",),
)
PATTERNS: Final = {
    "en": _ENGLISH,
    "fr": _FRENCH,
    "de": _GERMAN,
    "es": _SPANISH,
    "pt": _PORTUGUESE,
    "it": _ITALIAN,
    "nl": _DUTCH,
    "ru": _RUSSIAN,
}
"""The patterns by the code of their language. A text may be in any of them, and people mix them."""
