"""The time zones of states and provinces, in countries that have several: a second answer to where a person is.

Each row has the code, the names, and one zone for each clock that is kept in the state. Sources, read on 2026-11-28:
United States: 49 CFR part 71 with the exceptions of its zones. Canada: the time acts of the provinces as the zone
database 2026f has them. Australia: the Standard Time acts of its states. Brazil: Lei 12.876/2013. Mexico: Ley de los
Husos Horarios of 2022. Spain and Portugal: the islands with a clock of their own, as the zone database has them.
Russia, Indonesia and Chile have a module of their own. `tests/domain/calling_times/test_states.py` compares all with
the area codes of phonenumbers.
"""

import unicodedata
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from dialer.domain.calling_times.states_elsewhere import CHILE, INDONESIA, KINDS, RUSSIA

_STATES: Final = {
    "US": """
AL Alabama: America/Chicago
AK Alaska: America/Anchorage America/Adak
AZ Arizona: America/Phoenix America/Denver
AR Arkansas: America/Chicago
CA California: America/Los_Angeles
CO Colorado: America/Denver
CT Connecticut: America/New_York
DE Delaware: America/New_York
DC District of Columbia, Washington DC: America/New_York
FL Florida: America/New_York America/Chicago
GA Georgia: America/New_York
HI Hawaii: Pacific/Honolulu
ID Idaho: America/Boise America/Los_Angeles
IL Illinois: America/Chicago
IN Indiana: America/Indiana/Indianapolis America/Chicago
IA Iowa: America/Chicago
KS Kansas: America/Chicago America/Denver
KY Kentucky: America/Kentucky/Louisville America/Chicago
LA Louisiana: America/Chicago
ME Maine: America/New_York
MD Maryland: America/New_York
MA Massachusetts: America/New_York
MI Michigan: America/Detroit America/Menominee
MN Minnesota: America/Chicago
MS Mississippi: America/Chicago
MO Missouri: America/Chicago
MT Montana: America/Denver
NE Nebraska: America/Chicago America/Denver
NV Nevada: America/Los_Angeles America/Denver
NH New Hampshire: America/New_York
NJ New Jersey: America/New_York
NM New Mexico: America/Denver
NY New York: America/New_York
NC North Carolina: America/New_York
ND North Dakota: America/Chicago America/Denver
OH Ohio: America/New_York
OK Oklahoma: America/Chicago
OR Oregon: America/Los_Angeles America/Boise
PA Pennsylvania: America/New_York
RI Rhode Island: America/New_York
SC South Carolina: America/New_York
SD South Dakota: America/Chicago America/Denver
TN Tennessee: America/New_York America/Chicago
TX Texas: America/Chicago America/Denver
UT Utah: America/Denver
VT Vermont: America/New_York
VA Virginia: America/New_York
WA Washington: America/Los_Angeles
WV West Virginia: America/New_York
WI Wisconsin: America/Chicago
WY Wyoming: America/Denver
PR Puerto Rico: America/Puerto_Rico
VI Virgin Islands, US Virgin Islands: America/St_Thomas
GU Guam: Pacific/Guam
MP Northern Mariana Islands: Pacific/Saipan
AS American Samoa: Pacific/Pago_Pago
""",
    "CA": """
AB Alberta: America/Edmonton
BC British Columbia, Colombie-Britannique: America/Vancouver America/Edmonton
MB Manitoba: America/Winnipeg
NB New Brunswick, Nouveau-Brunswick: America/Moncton
NL Newfoundland and Labrador, Newfoundland, Terre-Neuve-et-Labrador: America/St_Johns America/Goose_Bay
NS Nova Scotia, Nouvelle-Écosse: America/Halifax
NT Northwest Territories, Territoires du Nord-Ouest: America/Edmonton
NU Nunavut: America/Iqaluit America/Rankin_Inlet America/Cambridge_Bay America/Atikokan
ON Ontario: America/Toronto America/Winnipeg America/Atikokan
PE Prince Edward Island, Île-du-Prince-Édouard: America/Halifax
QC Quebec, Québec: America/Toronto America/Blanc-Sablon
SK Saskatchewan: America/Regina America/Winnipeg
YT Yukon: America/Whitehorse
""",
    "AU": """
NSW New South Wales: Australia/Sydney Australia/Broken_Hill Australia/Lord_Howe
VIC Victoria: Australia/Melbourne
QLD Queensland: Australia/Brisbane
SA South Australia: Australia/Adelaide
WA Western Australia: Australia/Perth Australia/Eucla
TAS Tasmania: Australia/Hobart
NT Northern Territory: Australia/Darwin
ACT Australian Capital Territory: Australia/Sydney
""",
    "BR": """
AC Acre: America/Rio_Branco
AL Alagoas: America/Maceio
AP Amapá: America/Belem
AM Amazonas: America/Manaus America/Eirunepe
BA Bahia: America/Bahia
CE Ceará: America/Fortaleza
DF Distrito Federal: America/Sao_Paulo
ES Espírito Santo: America/Sao_Paulo
GO Goiás: America/Sao_Paulo
MA Maranhão: America/Fortaleza
MT Mato Grosso: America/Cuiaba
MS Mato Grosso do Sul: America/Campo_Grande
MG Minas Gerais: America/Sao_Paulo
PA Pará: America/Belem
PB Paraíba: America/Fortaleza
PR Paraná: America/Sao_Paulo
PE Pernambuco: America/Recife America/Noronha
PI Piauí: America/Fortaleza
RJ Rio de Janeiro: America/Sao_Paulo
RN Rio Grande do Norte: America/Fortaleza
RS Rio Grande do Sul: America/Sao_Paulo
RO Rondônia: America/Porto_Velho
RR Roraima: America/Boa_Vista
SC Santa Catarina: America/Sao_Paulo
SP São Paulo: America/Sao_Paulo
SE Sergipe: America/Maceio
TO Tocantins: America/Araguaina
""",
    "MX": """
AGU Aguascalientes: America/Mexico_City
BCN Baja California, BC: America/Tijuana
BCS Baja California Sur: America/Mazatlan
CAM Campeche: America/Merida
CHP Chiapas: America/Mexico_City
CHH Chihuahua: America/Chihuahua America/Ciudad_Juarez America/Ojinaga
CMX Ciudad de México, CDMX, DF, Distrito Federal: America/Mexico_City
COA Coahuila, Coahuila de Zaragoza: America/Monterrey America/Matamoros
COL Colima: America/Mexico_City
DUR Durango: America/Monterrey
GUA Guanajuato: America/Mexico_City
GRO Guerrero: America/Mexico_City
HID Hidalgo: America/Mexico_City
JAL Jalisco: America/Mexico_City
MEX Estado de México, México, Edomex: America/Mexico_City
MIC Michoacán, Michoacán de Ocampo: America/Mexico_City
MOR Morelos: America/Mexico_City
NAY Nayarit: America/Mazatlan America/Bahia_Banderas
NLE Nuevo León, NL: America/Monterrey America/Matamoros
OAX Oaxaca: America/Mexico_City
PUE Puebla: America/Mexico_City
QUE Querétaro: America/Mexico_City
ROO Quintana Roo: America/Cancun
SLP San Luis Potosí: America/Mexico_City
SIN Sinaloa: America/Mazatlan
SON Sonora: America/Hermosillo
TAB Tabasco: America/Mexico_City
TAM Tamaulipas: America/Monterrey America/Matamoros
TLA Tlaxcala: America/Mexico_City
VER Veracruz, Veracruz de Ignacio de la Llave: America/Mexico_City
YUC Yucatán: America/Merida
ZAC Zacatecas: America/Mexico_City
""",
    "ES": """
GC Las Palmas, Gran Canaria: Atlantic/Canary
TF Santa Cruz de Tenerife, Tenerife: Atlantic/Canary
canarias Canary Islands, Islas Canarias: Atlantic/Canary
peninsula Álava, Araba, Albacete, Alicante, Alacant, Almería, Asturias, Ávila, Badajoz, Barcelona: Europe/Madrid
peninsula Baleares, Illes Balears, Islas Baleares, Balearic Islands, Bizkaia, Vizcaya, Burgos: Europe/Madrid
peninsula Cáceres, Cádiz, Cantabria, Castellón, Castelló, Ceuta, Ciudad Real, Córdoba, Cuenca: Europe/Madrid
peninsula A Coruña, La Coruña, Gipuzkoa, Guipúzcoa, Girona, Gerona, Granada, Guadalajara, Huelva: Europe/Madrid
peninsula Huesca, Jaén, La Rioja, León, Lleida, Lérida, Lugo, Madrid, Málaga, Melilla, Murcia, Navarra: Europe/Madrid
peninsula Ourense, Orense, Palencia, Pontevedra, Salamanca, Segovia, Sevilla, Seville, Soria: Europe/Madrid
peninsula Tarragona, Teruel, Toledo, Valencia, València, Valladolid, Zamora, Zaragoza, Andalucía: Europe/Madrid
peninsula Aragón, Castilla y León, Castilla-La Mancha, Cataluña, Catalunya, Euskadi, Extremadura: Europe/Madrid
peninsula Galicia, País Vasco, Comunidad de Madrid, Comunidad Valenciana, Región de Murcia: Europe/Madrid
""",
    "PT": """
acores Açores, Azores, Região Autónoma dos Açores: Atlantic/Azores
madeira Região Autónoma da Madeira: Atlantic/Madeira
continente Aveiro, Beja, Braga, Bragança, Castelo Branco, Coimbra, Évora, Faro, Guarda, Leiria: Europe/Lisbon
continente Lisboa, Lisbon, Portalegre, Porto, Santarém, Setúbal, Viana do Castelo, Vila Real, Viseu: Europe/Lisbon
""",
}
_FURTHER_STATES: Final = {"RU": RUSSIA, "ID": INDONESIA, "CL": CHILE}
_COUNTRIES: Final = {
    "+1": ("US", "CA"),
    "+61": ("AU",),
    "+55": ("BR",),
    "+52": ("MX",),
    "+34": ("ES",),
    "+351": ("PT",),
    **dict.fromkeys(("+73", "+74", "+78", "+79"), ("RU",)),
    "+62": ("ID",),
    "+56": ("CL",),
}
"""Countries of the table by how their numbers begin. Codes of the United States and of Canada differ."""
_TERRITORIES: Final = frozenset({"AS", "GU", "MP", "PR", "VI"})
"""Territories of the United States among its states."""
_MOMENTS: Final = tuple(datetime(2027, month, 1, 12, tzinfo=UTC) for month in range(1, 13))
"""Moments by which clocks are compared."""
KEPT_MAX: Final = 16_384


class CountryState(NamedTuple):
    """A state or province: its country by ISO code, its code, and one zone for each clock that is kept there."""

    country: str
    code: str
    zones: tuple[str, ...]


def state_of(text: str, number: str) -> CountryState | None:
    """Return the state that a text names, in the country of a number in E.164; None if there is none such."""
    countries = next((countries for start, countries in _COUNTRIES.items() if number.startswith(start)), ())
    words = (_plain(text), _plain(KINDS.sub(" ", text.casefold()))) if countries else ()
    found = ((country, word) for word in words for country in countries)
    return next((_by_word()[one] for one in found if one in _by_word()), None)


def is_state(text: str) -> bool:
    """Return whether a text names a state of some country of the table."""
    return any(word in _all_words() for word in (_plain(text), _plain(KINDS.sub(" ", text.casefold()))))


def start_of(country: str) -> str:
    """Return the calling code of a country with states, such as `+1`; empty for other countries."""
    return next((start for start, countries in _COUNTRIES.items() if country in countries), "")


def has_states(number: str) -> bool:
    """Return whether the table has the states of the country of a number in E.164."""
    return number.startswith(tuple(_COUNTRIES))


def states_of(country: str) -> dict[str, CountryState]:
    """Return the states of a country of the table by their codes."""
    return {state.code: state for (where, _), state in _by_word().items() if where == country}


@cache
def zones_of_states(country: str) -> tuple[str, ...]:
    """Return one time zone for each clock in the states of a country; none for a country without states here.

    Territories with an ISO 3166 code of their own, such as Guam, are left out: lists name them as countries.
    """
    inside = [state for state in states_of(country).values() if state.code not in _TERRITORIES or country != "US"]
    clocks = {_clock(zone): zone for state in reversed(inside) for zone in reversed(state.zones)}
    return tuple(sorted(clocks.values()))


@lru_cache(maxsize=KEPT_MAX)
def zones_in_state(state: CountryState, number_zones: tuple[str, ...]) -> tuple[str, ...]:
    """Return the possible time zones of a person in a state: the number's, if the state has their clocks, else all.

    A number of Pensacola is in Florida and has Chicago's clock, so it is not in the rest of Florida.
    """
    clocks = {_clock(zone) for zone in state.zones}
    if number_zones and all(_clock(zone) in clocks for zone in number_zones):
        return number_zones
    return state.zones


@lru_cache(maxsize=1_024)
def _clock(zone: str) -> tuple[object, ...]:
    """Return the offsets of a zone over a year; zones with the same ones keep the same clock."""
    return tuple(moment.astimezone(ZoneInfo(zone)).utcoffset() for moment in _MOMENTS)


@cache
def _all_words() -> frozenset[str]:
    return frozenset(word for _, word in _by_word())


@cache
def _by_word() -> dict[tuple[str, str], CountryState]:
    """Return the states by country, and by code or name in plain letters."""
    found = dict[tuple[str, str], CountryState]()
    for country, text in (_STATES | _FURTHER_STATES).items():
        for line in text.strip().splitlines():
            named, _, zones = line.partition(": ")
            code, _, names = named.partition(" ")
            state = CountryState(country, code, tuple(zones.split()))
            found.update({(country, _plain(word)): state for word in (code, *names.split(", "))})
    return found


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(mark for mark in folded if mark.isalnum())
