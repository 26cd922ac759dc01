"""The states of Russia, Indonesia and Chile: their codes and names, and one zone for each clock that is kept there.

Codes and names are those of ISO 3166-2, read on 2026-11-28, with the usual names beside them. The zones are those of
the zone database 2026f: its comments name the regions of Russia and the islands of Indonesia. In Chile, Easter Island
is a part of Valparaíso. `tests/domain/calling_times/test_capitals.py` compares them with GeoNames.
"""

# ruff: noqa: RUF001 - the names are in Cyrillic letters, too

import re
from typing import Final

KINDS: Final = re.compile(
    r"\b(?:oblast'?|obl|region|krai|kray|republic(?: of)?|respublika|territory|avtonomn[a-z]+ okrug|autonomous okrug"
    r"|область|обл|край|республика|автономный округ|ао|provinsi|prov|province|región(?: de(?: los?| la)?)?"
    r"|region de(?: los?| la)?|provincia de)\b"
)
"""Words for states beside their names, in small letters."""

_MOSCOW: Final = {
    "AD": "Adygeya, Adygea, Адыгея",
    "CE": "Chechnya, Chechen, Chechenskaya, Чеченская, Чечня",
    "CU": "Chuvashia, Chuvash, Chuvashskaya, Чувашская, Чувашия",
    "DA": "Dagestan, Дагестан",
    "IN": "Ingushetia, Ingushetiya, Ингушетия",
    "KB": "Kabardino-Balkaria, Kabardino-Balkarskaya, Кабардино-Балкарская, Кабардино-Балкария",
    "KL": "Kalmykia, Kalmykiya, Калмыкия",
    "KC": "Karachay-Cherkessia, Karachayevo-Cherkesskaya, Карачаево-Черкесская, Карачаево-Черкесия",
    "KR": "Karelia, Kareliya, Карелия",
    "KO": "Komi, Коми",
    "ME": "Mari El, Mariy El, Марий Эл",
    "MO": "Mordovia, Mordoviya, Мордовия",
    "SE": "North Ossetia, North Ossetia-Alania, Severnaya Osetiya, Северная Осетия, Северная Осетия - Алания",
    "TA": "Tatarstan, Татарстан",
    "KDA": "Krasnodar, Krasnodarskiy, Краснодарский",
    "STA": "Stavropol, Stavropolskiy, Ставропольский",
    "ARK": "Arkhangelsk, Arkhangelskaya, Архангельская",
    "BEL": "Belgorod, Belgorodskaya, Белгородская",
    "BRY": "Bryansk, Bryanskaya, Брянская",
    "IVA": "Ivanovo, Ivanovskaya, Ивановская",
    "KLU": "Kaluga, Kaluzhskaya, Калужская",
    "KIR": "Kirov, Kirovskaya, Кировская",
    "KOS": "Kostroma, Kostromskaya, Костромская",
    "KRS": "Kursk, Kurskaya, Курская",
    "LEN": "Leningrad, Leningradskaya, Ленинградская",
    "LIP": "Lipetsk, Lipetskaya, Липецкая",
    "MOS": "Moskovskaya, Московская",
    "MUR": "Murmansk, Murmanskaya, Мурманская",
    "NIZ": "Nizhny Novgorod, Nizhegorodskaya, Нижегородская",
    "NGR": "Novgorod, Novgorodskaya, Новгородская",
    "ORL": "Oryol, Orel, Orlovskaya, Орловская",
    "PNZ": "Penza, Penzenskaya, Пензенская",
    "PSK": "Pskov, Pskovskaya, Псковская",
    "ROS": "Rostov, Rostovskaya, Ростовская",
    "RYA": "Ryazan, Ryazanskaya, Рязанская",
    "SMO": "Smolensk, Smolenskaya, Смоленская",
    "TAM": "Tambov, Tambovskaya, Тамбовская",
    "TUL": "Tula, Tulskaya, Тульская",
    "TVE": "Tver, Tverskaya, Тверская",
    "VLA": "Vladimir, Vladimirskaya, Владимирская",
    "VGG": "Volgograd, Volgogradskaya, Волгоградская",
    "VLG": "Vologda, Vologodskaya, Вологодская",
    "VOR": "Voronezh, Voronezhskaya, Воронежская",
    "YAR": "Yaroslavl, Yaroslavskaya, Ярославская",
    "MOW": "Moscow, Moskva, Москва",
    "SPE": "Saint Petersburg, St Petersburg, Sankt-Peterburg, Санкт-Петербург",
    "NEN": "Nenets, Nenetskiy, Ненецкий",
}
RUSSIA: Final = (
    "\n".join(f"{code} {names}: Europe/Moscow" for code, names in _MOSCOW.items())
    + """
KGD Kaliningrad, Kaliningradskaya, Калининградская: Europe/Kaliningrad
AST Astrakhan, Astrakhanskaya, Астраханская: Europe/Astrakhan
SAM Samara, Samarskaya, Самарская: Europe/Samara
SAR Saratov, Saratovskaya, Саратовская: Europe/Saratov
UD Udmurtia, Udmurt, Udmurtskaya, Удмуртская, Удмуртия: Europe/Samara
ULY Ulyanovsk, Ulyanovskaya, Ульяновская: Europe/Ulyanovsk
BA Bashkortostan, Башкортостан: Asia/Yekaterinburg
PER Perm, Permskiy, Пермский: Asia/Yekaterinburg
CHE Chelyabinsk, Chelyabinskaya, Челябинская: Asia/Yekaterinburg
KGN Kurgan, Kurganskaya, Курганская: Asia/Yekaterinburg
ORE Orenburg, Orenburgskaya, Оренбургская: Asia/Yekaterinburg
SVE Sverdlovsk, Sverdlovskaya, Свердловская: Asia/Yekaterinburg
TYU Tyumen, Tyumenskaya, Тюменская: Asia/Yekaterinburg
KHM Khanty-Mansi, Khanty-Mansiyskiy, Yugra, Ханты-Мансийский, Югра: Asia/Yekaterinburg
YAN Yamalo-Nenets, Yamalo-Nenetskiy, Ямало-Ненецкий: Asia/Yekaterinburg
OMS Omsk, Omskaya, Омская: Asia/Omsk
AL Altai Republic, Altay Republic, Республика Алтай: Asia/Barnaul
ALT Altai Krai, Altai Territory, Altayskiy, Алтайский: Asia/Barnaul
KEM Kemerovo, Kemerovskaya, Kuzbass, Кемеровская, Кузбасс: Asia/Novokuznetsk
KK Khakassia, Khakasiya, Хакасия: Asia/Krasnoyarsk
KYA Krasnoyarsk, Krasnoyarskiy, Красноярский: Asia/Krasnoyarsk
NVS Novosibirsk, Novosibirskaya, Новосибирская: Asia/Novosibirsk
TOM Tomsk, Tomskaya, Томская: Asia/Tomsk
TY Tuva, Tyva, Тыва, Тува: Asia/Krasnoyarsk
BU Buryatia, Buryatiya, Бурятия: Asia/Irkutsk
IRK Irkutsk, Irkutskaya, Иркутская: Asia/Irkutsk
AMU Amur, Amurskaya, Амурская: Asia/Yakutsk
ZAB Zabaykalsky, Zabaykalskiy, Transbaikal, Забайкальский: Asia/Chita
SA Sakha, Yakutia, Саха, Якутия, Саха (Якутия): Asia/Yakutsk Asia/Vladivostok Asia/Srednekolymsk
YEV Jewish Autonomous, Yevreyskaya, Yevreyskaya avtonomnaya, Еврейская, Еврейская автономная: Asia/Vladivostok
KHA Khabarovsk, Khabarovskiy, Хабаровский: Asia/Vladivostok
PRI Primorsky, Primorskiy, Primorye, Приморский: Asia/Vladivostok
MAG Magadan, Magadanskaya, Магаданская: Asia/Magadan
SAK Sakhalin, Sakhalinskaya, Сахалинская: Asia/Sakhalin
CHU Chukotka, Chukotskiy, Чукотский: Asia/Anadyr
KAM Kamchatka, Kamchatskiy, Камчатский: Asia/Kamchatka
"""
)
INDONESIA: Final = """
AC Aceh: Asia/Jakarta
BT Banten: Asia/Jakarta
BE Bengkulu: Asia/Jakarta
JA Jambi: Asia/Jakarta
JK Jakarta, DKI Jakarta, Jakarta Raya, DKJ: Asia/Jakarta
JB Jawa Barat, West Java: Asia/Jakarta
JT Jawa Tengah, Central Java: Asia/Jakarta
JI Jawa Timur, East Java: Asia/Jakarta
YO Yogyakarta, DI Yogyakarta, Daerah Istimewa Yogyakarta, DIY: Asia/Jakarta
KB Kalimantan Barat, West Kalimantan: Asia/Pontianak
KT Kalimantan Tengah, Central Kalimantan: Asia/Pontianak
BB Kepulauan Bangka Belitung, Bangka Belitung, Bangka Belitung Islands: Asia/Jakarta
KR Kepulauan Riau, Riau Islands, Kepri: Asia/Jakarta
LA Lampung: Asia/Jakarta
RI Riau: Asia/Jakarta
SB Sumatera Barat, West Sumatra: Asia/Jakarta
SS Sumatera Selatan, South Sumatra: Asia/Jakarta
SU Sumatera Utara, North Sumatra: Asia/Jakarta
BA Bali: Asia/Makassar
GO Gorontalo: Asia/Makassar
KS Kalimantan Selatan, South Kalimantan: Asia/Makassar
KI Kalimantan Timur, East Kalimantan: Asia/Makassar
KU Kalimantan Utara, North Kalimantan: Asia/Makassar
NB Nusa Tenggara Barat, West Nusa Tenggara, NTB: Asia/Makassar
NT Nusa Tenggara Timur, East Nusa Tenggara, NTT: Asia/Makassar
SR Sulawesi Barat, West Sulawesi: Asia/Makassar
SN Sulawesi Selatan, South Sulawesi: Asia/Makassar
ST Sulawesi Tengah, Central Sulawesi: Asia/Makassar
SG Sulawesi Tenggara, Southeast Sulawesi: Asia/Makassar
SA Sulawesi Utara, North Sulawesi: Asia/Makassar
MA Maluku: Asia/Jayapura
MU Maluku Utara, North Maluku: Asia/Jayapura
PA Papua: Asia/Jayapura
PB Papua Barat, West Papua: Asia/Jayapura
PD Papua Barat Daya, Southwest Papua: Asia/Jayapura
PE Papua Pegunungan, Highland Papua: Asia/Jayapura
PS Papua Selatan, South Papua: Asia/Jayapura
PT Papua Tengah, Central Papua: Asia/Jayapura
"""
CHILE: Final = """
AP Arica y Parinacota, Arica and Parinacota: America/Santiago
TA Tarapacá: America/Santiago
AN Antofagasta: America/Santiago
AT Atacama: America/Santiago
CO Coquimbo: America/Santiago
VS Valparaíso: America/Santiago Pacific/Easter
RM Metropolitana, Metropolitana de Santiago, Región Metropolitana, Metropolitan Region, Santiago: America/Santiago
LI O'Higgins, Libertador General Bernardo O'Higgins, Libertador Gral Bernardo O'Higgins: America/Santiago
ML Maule, del Maule: America/Santiago
NB Ñuble: America/Santiago
BI Biobío, Bío-Bío, del Biobío: America/Santiago
AR Araucanía, La Araucanía: America/Santiago
LR Los Ríos: America/Santiago
LL Los Lagos: America/Santiago
AI Aysén, Aisén, Aysén del General Carlos Ibáñez del Campo: America/Coyhaique
MA Magallanes, Magallanes y de la Antártica Chilena, Magallanes and Antártica Chilena: America/Punta_Arenas
"""
