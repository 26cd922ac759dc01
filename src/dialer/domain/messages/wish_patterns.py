# ruff: noqa: E501, RUF001 - a pattern is a line, with letters as people type them
"""Wishes not to be contacted, in other words than single phrases: patterns by language and by kind.

Patterns are for words in small letters without accents, apostrophes and punctuation (`opt_out.words_of`). A kind joins a verb with its
object, such as "stop" and "calling", so that "I'll stop by" is none. Sources of the kinds: 47 CFR 64.1200(a)(10), whose sellers
must heed any words that a reasonable person understands; the opt-out words of CTIA's Messaging Principles, AWS, Twilio and Sakari; the
French 36111 and Bloctel, the Spanish "baja", the Brazilian "sair", and the right to object of article 21 GDPR.
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
    limits: str = ""
    """Words beside a wish that limit it to a time, such as "before nine"."""


_EN_TELL: Final = r"(?:call|ring|phone|text|txt|message|msg|contact|write|disturb|bother|mail|email|sms|dial|send|reach out|communicate)"
_EN_THING: Final = (
    r"(?:call(?:s|ing)?|text\w*|txt\w*|messag\w*|msgs?|contact\w*|ring\w*|phon\w*|sms|send\w*|communicat\w*|spam\w*|bother\w*|harass\w*"
    r"|remind\w*|writ\w*|robocall\w*)"
)
_ENGLISH: Final = Patterns(
    wishes=(
        rf"(?<!\bi )(?<!you )(?<!we )(?<!they )(?<!why )\b(?:do not|dont|never|not to|no longer)(?: ever| please| you)? {_EN_TELL}\b",
        rf"\b(?:stop|quit|cease|halt|discontinue|end)(?! (?:by|in|over|at|off)\b)(?: \w+){{0,3}}? {_EN_THING}\b",
        (
            r"\b(?:remove|delete|erase|unlist|wipe|scrub) (?:me|us|her|him|them|(?:my|our|this|the) (?:\w+ )?(?:number|name|phone|cell|info\w*|data"
            r"|contact|details))\b"
        ),
        r"\b(?:take|get|drop|strike|cross|scratch|pull) (?:me|us|her|him|my \w+|this \w+) (?:off|from|out of|of)\b",
        r"\b(?:be|get|been) (?:removed|deleted|taken off|unsubscribed|erased)\b",
        r"\bnot (?:to )?be (?:called|texted|contacted|messaged|disturbed|bothered)\b",
        r"\b(?:un ?subscri\w*|unsuscri\w*|opt(?:ing)? ?out|optout)\b",
        rf"\b(?:do not|dont|no longer|not|never) (?:\w+ )?(?:want|wish|like|need|care|wanna) (?:\w+ ){{0,4}}?{_EN_THING}\b",
        r"\b(?:do not|dont|no longer) (?:want|wish) (?:\w+ ){0,2}?(?:hear|receiv\w*|get) (?:\w+ ){0,3}?(?:from|this|these|anything|any)\b",
        rf"\bno (?:more|further|additional) (?:of \w+ )?{_EN_THING}\b",
        r"\b(?:lose|loose|forget) (?:my|this) (?:\w+ )?number\b",
        r"\bleave (?:me|us) (?:the \w+ )?(?:alone|be)\b",
        r"\b(?:revok|withdraw|rescind)\w* (?:\w+ ){0,2}?(?:consent|permission)\b",
    ),
    hints=(
        (
            r"(?<!bus )(?<!train )(?<!next )(?<!last )(?<!non )(?<!the )(?<!a )\b(?:stop|quit|cease|enough)\b"
            r"(?! (?:by|in|at|over|off|on|for|near|signs?|lights?)\b)"
        ),
        r"\b(?:do not|dont|no longer|never) (?:want|wanna|need) (?:this|these|those|that|it|any\w*|you|to (?:hear|be|get))\b",
        r"\b(?:want|let me|count me) (?:out|off)\b",
        r"\bwrong (?:number|person)\b|\bnot interested\b|\bno interest\b",
        r"\b(?:spam\w*|harass\w*|scam\w*|lawyer|attorney|police|fcc|ftc|tcpa)\b|\breport (?:you|this|u)\b",
        r"\b(?:go away|fuck off|f off|piss off|buzz off|shut up)\b|\bpassed away\b|\bdeceased\b",
        r"\b(?:did not|didnt|never) (?:sign(?:ed)? up|subscribe\w*|consent\w*|opt(?:ed)? in|agree\w*)\b",
        r"\bhow did you get (?:my|this)\b|\bwho gave you (?:my|this)\b|\benough (?:already|of)\b|\bno thanks? (?:you )?stop\b",
    ),
    opposites=(
        (
            r"\b(?:dont|do not|never|cant|cannot|can not|wont|didnt|please not)(?: ever)? (?:stop|quit|end|remove|delete|unsubscribe|cancel|opt ?out)"
            r"(?: \w+){0,3}"
        ),
        r"\b(?:un ?subscribed|opted ?out) by (?:mistake|accident)\b",
    ),
    limits=r"\b(?:before|until|till|after|today|tonight|tomorrow|during|between|at work|so (?:early|late)|this (?:week|month))\b",
    away=r"\b(?:(?:stop|quit|ceas)(?!ped)\w*|remov\w*|delet\w*|eras\w*|refus\w*|revok\w*|withdraw\w*|enough\b|(?:sick|tired|done|fed up) (?:of|with)|(?:take|get|took) (?:\w+ ){1,3}(?:off|down|out)\b|no longer|not consent|dont consent|no consent|no permission|object to|bugging|harass\w*|annoy\w*|block\w*|unwanted|permanently)",
    about=r"\b(?:call|text|messag|contact|phone|number|list|data\b|database|sms|email|survey|reminder|communicat|system|records?\b|campaign|line\b)",
)
_FR_TELL: Final = (
    r"(?:r?appel\w*|telephon\w*|re?contact\w*|contact\w*|ecri[rtv]\w*|envo[iy]\w*|derang\w*|sollicit\w*|joindre|relanc\w*|importun\w*"
    r"|demarch\w*)"
)
_FR_THING: Final = (
    r"(?:appels?|rappels?|sms|messages?|textos?|mails?|pubs?|publicites?|sollicitations?|envois?|demarchage)"
)
_FRENCH: Final = Patterns(
    wishes=(
        rf"\bne (?:plus|jamais) (?:\w+ ){{0,2}}?{_FR_TELL}\b",
        rf"\bne? (?:\w+ ){{0,2}}?{_FR_TELL}(?: \w+){{0,2}}? (?:plus|jamais)\b",
        rf"\bne? (?:\w+ )?(?:veux|souhaite|desire|voudrais|voulons|souhaitons) (?:plus|pas) (?:\w+ ){{0,2}}?(?:recevoir|{_FR_TELL}|{_FR_THING})\b",
        rf"\b(?:arret\w+|cess\w+|stop\w*|mettez fin)(?: (?:d|de|a|aux|avec|l|les|vos|ces|tout|me|m|moi|nous)){{0,3}} (?:{_FR_TELL}|{_FR_THING})\b",
        (
            r"\b(?:retir|supprim|enlev|effac|ray|ot|exclu)(?:er|ez|e|es) (?:(?:moi|nous)\b|(?:mon|mes|ma|ce|le) (?:numero|nom|coordonnees"
            r"|contact|donnees|telephone|portable))"
        ),
        r"\b(?:desinscri\w*|desabonn\w*)\b",
        rf"\bplus (?:d |de |aucun |aucune )(?:\w+ )?{_FR_THING}\b",
        r"\blaiss\w* (?:moi|nous) (?:tranquilles?|en paix)\b|\b(?:fich|fout)\w* (?:moi|nous) la paix\b",
        r"\b(?:je m oppose|(?:retir|revoqu)\w* mon consentement)\b",
    ),
    hints=(
        r"\b(?:arretez|arreter|cessez|cesser|ca suffit|y en a marre)\b",
        r"\bne? (?:\w+ ){0,2}?(?:veux|souhaite|voulons|veut) (?:plus|rien)\b|\b(?:pas la peine|inutile) de\b",
        r"\bpas interesse\w*\b|\b(?:faux|mauvais) numero\b|\berreur de (?:numero|personne)\b",
        r"\b(?:spam\w*|harcel\w*|cnil|bloctel|plainte|avocat\w*|arnaque\w*|signal 33700|decede\w*)\b",
    ),
    opposites=(
        r"\bn (?:arret\w*|cess\w*) (?:pas|jamais|surtout pas)(?: \w+){0,3}",
        r"\bne (?:vous )?(?:desinscri|desabonn)\w* pas\b",
    ),
    limits=r"\b(?:avant|apres|jusqu|aujourd|ce soir|demain|pendant|entre|cette semaine)\b",
    away=r"\b(?:arret(?:ez|er)|cess|supprim|suppression|effac|retir|enlev|otez|oter|ray[ei]|refus|oppos|marre|assez\b|ne consens|n autorise|ne plus|jamais\b|derang|importun|harcel)",
    about=r"\b(?:appel|sms|messag|texto|contact|numero|liste|fichier|donnees|coordonnees|telephon|demarch|mail|enquete|sondage|base\b)",
)
_DE_TELL: Final = (
    r"(?:an(?:zu|ge)?ruf\w*|ruf\w*|schreib\w*|anschreib\w*|kontakt\w*|meld\w*|schick\w*|send\w*|zusend\w*|belastig\w*|belaestig\w*|stor\w*"
    r"|telefonier\w*|simsen)"
)
_DE_THING: Final = r"(?:anruf\w*|sms|nachricht\w*|mitteilung\w*|werbung|werbe\w*|mails?|telefonat\w*|kontaktaufnahme\w*|belastigung\w*)"
_GERMAN: Final = Patterns(
    wishes=(
        rf"\bkeine?n? (?:weiteren? )?{_DE_THING}(?: \w+){{0,3}}? mehr\b|\bkeine?n? weiteren? {_DE_THING}\b",
        rf"\b(?:nicht|nie|niemals)(?: mehr| wieder| weiter| langer)+ (?:\w+ ){{0,2}}?(?:{_DE_TELL}|belieferte?)\b",
        rf"\b{_DE_TELL} (?:\w+ ){{0,4}}?(?:nicht|nie|niemals|nimmer)(?: \w+){{0,2}}? ?(?:mehr|wieder|weiter)\b",
        rf"\b(?:nie|nicht) mehr (?:\w+ )?{_DE_THING}\b",
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
        r"\b(?:hor|hort|horen|hoer|hoert|hoeren|aufhoren|aufhoeren) (?:\w+ ){0,2}?auf\b|\b(?:aufhoren|aufhoeren|stopp|schluss mit)\b",
        r"\b(?:lassen sie|lasst|lass) (?:das|es|den \w+)\b|\b(?:sehen|seht) (?:\w+ ){0,6}?ab\b|\babzusehen\b",
        r"\b(?:will|mochte|moechte|wollen) (?:\w+ ){0,3}?(?:nicht mehr|nichts mehr|nie wieder|kein\w* (?:\w+ )?mehr)\b",
        r"\bkein interesse\b|\bnicht interessiert\b|\bfalsche nummer\b|\bverwahlt\b|\bverwaehlt\b",
        r"\b(?:spam|belastig\w*|belaestig\w*|anwalt\w*|anzeige|bundesnetzagentur|dsgvo|verstorben|widerspruch|widerruf\w*|kundig\w*|kuendig\w*)\b",
    ),
    opposites=(
        r"\b(?:hor\w*|hoer\w*) (?:\w+ ){0,2}?nicht auf\b(?: \w+){0,3}",
        r"\bnicht (?:abmelden|abbestellen|austragen|loschen|loeschen)\b",
    ),
    limits=r"\b(?:vor|nach|bis|heute|morgen|zwischen|wahrend|diese woche)\b",
    away=r"\b(?:losch|loesch|streich|gestrichen|entfern|abmeld|stopp|unterlass|kein\w* weiter|nie mehr|nie wieder|nicht mehr|verbiet|untersag|widersprech|einwillig|satt\b|genug\b|ruhe\b|belastig|nerv|verzicht|abseh|nicht einverstanden)",
    about=r"\b(?:anruf|anzuruf|angeruf|sms|nachricht|nummer|daten|liste|verteiler|kontakt|umfrage|mail|werbung|telefon|system\b|datei)",
)
_ES_TELL: Final = (
    r"(?:llam(?:e|en|es|ar|arme|arnos)|escrib(?:a|an|as|ir|irme)|mand(?:e|en|es|ar|arme|arnos)|envi(?:e|en|es|ar|arme|arnos|eis)"
    r"|contact(?:e|en|es|ar|arme|arnos)|molest(?:e|en|es|ar|arme|arnos)|marc(?:ar|arme)|marqu(?:e|en|es)|telefone(?:e|en|ar))"
)
_ES_THING: Final = r"(?:llamadas?|mensaj\w*|textos?|sms|publicidad|notificaciones|avisos)"
_SPANISH: Final = Patterns(
    wishes=(
        rf"\b(?:no|nunca|jamas)(?: (?:me|nos|mas|se|vuelvan?|vuelvas|vuelvan a|a|quiero que|deseo que|por favor|deben?))* {_ES_TELL}\b",
        rf"\bno (?:quiero|deseo|quisiera|queremos) (?:\w+ ){{0,3}}?(?:recib\w*|{_ES_THING}|ser contactad\w)\b",
        rf"\b(?:dej\w+|par(?:e|en|a|es)|ces\w+|basta|deteng\w+) (?:ya )?(?:de|con) (?:\w+ ){{0,2}}?(?:{_ES_TELL}|{_ES_THING})\b",
        rf"\b(?:no|ni) mas {_ES_THING}\b",
        r"\b(?:quit|borr|elimin|sac|saqu|remuev|suprim)\w*(?:me|nos)\b(?: \w+){0,3}? (?:lista|base|registros?|sistema|agenda)\b",
        (
            r"\b(?:borr|elimin|quit|retir|suprim|remuev|sac|saqu)\w* (?:por favor )?(?:mi|mis|este|nuestro) (?:\w+ )?(?:numero|telefono|datos?|contacto"
            r"|nombre|celular|movil)\b"
        ),
        r"\b(?:dar|doy|dame|deme|denme|darme|darnos|dan) (?:me )?de baja\b|\bdesuscri\w*\b|\b(?:cancel|anul)\w* (?:mi |la )?suscripcion\b",
        r"\bdej\w*(?:me|nos) (?:en paz|tranquil\w*)\b",
        r"\b(?:revoco|retiro) (?:mi |el )?consentimiento\b|\bme opongo\b",
    ),
    hints=(
        r"\b(?:paren|pare|pares|dejen|deje|dejes|basta|deteng\w+) (?:ya|de|con)\b|\b(?:ya )?(?:paren|basta|dejenme)\b",
        r"\bno (?:quiero|queremos|deseo) (?:\w+ )?(?:saber|nada|mas)\b|\bno ser (?:llamad|contactad)\w\b",
        r"\bno (?:me|nos) interesa\b|\bno estoy interesad\w\b|\bnumero equivocado\b|\bse equivoc\w*\b",
        r"\b(?:spam|acoso|abogad\w|denunci\w*|estafa|fallecio|robinson|profeco|repep)\b",
    ),
    opposites=(
        r"\bno (?:me )?(?:dej|par|ces)\w* de(?: \w+){0,3}",
        r"\bno (?:me )?(?:den|de|doy|quiero darme) de baja\b",
    ),
    limits=r"\b(?:antes|despues|hasta|hoy|manana|entre|durante|esta (?:semana|noche))\b",
    away=r"\b(?:borr[aeo]|elimin|quit[ae]|retir|saqu|paren\b|pare\b|dejen\b|deje\b|basta\b|cansad|hart[oa]|no autoriz|opon|nunca\b|jamas\b|ya no\b|no mas\b|molest|suprim|cancelacion|supresion|rectificacion)",
    about=r"\b(?:llam|mensaj|sms|texto|numero|telefono|lista|datos|contact|base\b|encuesta|publicidad|propaganda|registro|sistema|recib)",
)
_PT_TELL: Final = (
    r"(?:lig(?:ue|uem|ues|ar|arem)|mand(?:e|em|es|ar|arem)|envi(?:e|em|es|ar|arem)|contac?t(?:e|em|es|ar|arem)|incomod(?:e|em|ar)"
    r"|perturb(?:e|em|ar)|escrev(?:a|am|er)|telefon(?:e|em|es|ar|arem)|(?:entr(?:e|em|ar)) (?:mais )?em contac?to)"
)
_PT_THING: Final = r"(?:ligac\w+|chamadas?|mensage\w+|sms|torpedos?|contac?tos?|propaganda|publicidade)"
_PORTUGUESE: Final = Patterns(
    wishes=(
        rf"\b(?:nao|nunca|jamais)(?: (?:me|nos|mais|voltem?|voltes|tornem?|a|quero que|por favor|devem?))* {_PT_TELL}\b",
        rf"\bnao (?:quero|desejo|gostaria|queremos|pretendo) (?:\w+ ){{0,3}}?(?:receb\w*|{_PT_THING}|ser contac?tad\w)\b",
        rf"\b(?:par(?:e|em|a|ar)|deix(?:e|em)|chega|basta|cess\w*) (?:ja )?(?:de|com) (?:\w+ ){{0,2}}?(?:{_PT_TELL}|{_PT_THING})\b",
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
        r"\b(?:parem|pare|chega|basta)\b|\bpara (?:com isso|ja)\b",
        r"\bnao (?:quero|queremos|desejo) (?:mais|nada|saber)\b|\bnao ser contac?tad\w\b",
        r"\b(?:sem|nao tenho) interesse\b|\bnao me interessa\b|\bnumero errado\b|\bengano\b",
        r"\b(?:spam|procon|advogad\w|golpe|denunci\w*|faleceu|assedio)\b",
    ),
    opposites=(r"\bnao (?:me )?(?:par|deix|cess)\w*(?: \w+){0,3}", r"\bnao (?:me )?descadastr\w*"),
    limits=r"\b(?:antes|depois|ate|hoje|amanha|entre|durante|esta (?:semana|noite))\b",
    away=r"\b(?:remov|apag|exclu|tir(?:em|ar|e)\b|retir|parem\b|pare\b|chega\b|basta\b|cansad|fart|nao autoriz|nunca\b|jamais\b|incomod|delet|nao consint|eliminacao)",
    about=r"\b(?:lig(?:ac|ue|ar)|mensage|sms|numero|telefon|telemovel|lista|dados|contat|contact|cadastro|base\b|pesquisa|propaganda|receb|nome\b)",
)
_IT_TELL: Final = (
    r"(?:(?:ri)?chiam(?:atemi|ate|are|armi|arci|ateci)|(?:ri)?scriv(?:etemi|ete|ere|ermi)|mand(?:atemi|ate|are|armi)|invi(?:atemi|ate|are|armi)"
    r"|contatt(?:atemi|ate|are|armi|ateci)|disturb(?:atemi|ate|are|armi|ateci)|telefon(?:atemi|ate|are|armi)|ricontatt(?:atemi|ate|are))"
)
_IT_THING: Final = r"(?:messagg\w*|chiamate|telefonate|sms|pubblicita|comunicazioni)"
_ITALIAN: Final = Patterns(
    wishes=(
        rf"\bnon (?:(?:mi|ci|piu|vi|voglio che|dovete|deve) )*{_IT_TELL}\b",
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
        r"\b(?:basta|smett\w+|piantatela|finitela)\b|\bnon (?:voglio|vogliamo) (?:piu|saperne|sapere)\b",
        r"\bnon mi interessa\b|\bnon sono interessat\w\b|\bnumero sbagliato\b|\bha sbagliato\b",
        r"\b(?:spam|avvocato|garante|denunci\w*|truffa|decedut\w|registro delle opposizioni|molestie)\b",
    ),
    opposites=(r"\bnon (?:la )?(?:smett|ferm|cess)\w*(?: \w+){0,3}",),
    limits=r"\b(?:prima|dopo|fino|oggi|domani|stasera|durante|questa settimana)\b",
    away=r"\b(?:cancell|rimuov|rimozion|elimin|togli|smett|basta\b|finit|stuf[oai]|non autorizz|nego|mai piu|disturb|revoc|oppon|rifiut|molest)",
    about=r"\b(?:chiam|messagg|sms|numero|telefon|lista|elenco|dati\b|contatt|sondagg|pubblicit|archivi)",
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
