"""The places of numbers, but for those that begin with +1.

Each row has countries, zones, and the starts of numbers, without `+`. The longest start decides.
A comment is the reason of a row that does not follow from the sources, or that has several zones.

Made by `python -m tests.places` from phonenumbers 9.0.43, tzdata 2026f.
"""

from typing import Final

ROWS: Final = """
EG: Africa/Cairo 20
SS: Africa/Juba 211
MA: Africa/Casablanca 212
EH: Africa/El_Aaiun 2125288 2125289
DZ: Africa/Algiers 213
TN: Africa/Tunis 216
LY: Africa/Tripoli 218
GM: Africa/Banjul 220
SN: Africa/Dakar 221
MR: Africa/Nouakchott 222
ML: Africa/Bamako 223
GN: Africa/Conakry 224
CI: Africa/Abidjan 225
BF: Africa/Ouagadougou 226
NE: Africa/Niamey 227
TG: Africa/Lome 228
BJ: Africa/Porto-Novo 229
MU: Indian/Mauritius 230
LR: Africa/Monrovia 231
SL: Africa/Freetown 232
GH: Africa/Accra 233
NG: Africa/Lagos 234
TD: Africa/Ndjamena 235
CF: Africa/Bangui 236
CM: Africa/Douala 237
CV: Atlantic/Cape_Verde 238
ST: Africa/Sao_Tome 239
GQ: Africa/Malabo 240
GA: Africa/Libreville 241
CG: Africa/Brazzaville 242
# numbers that are nationwide, and those that no plan has: all clocks of the country
CD: Africa/Kinshasa Africa/Lubumbashi 243
# fixed lines of Kinshasa
CD: Africa/Kinshasa 2431
# fixed lines of Katanga
CD: Africa/Lubumbashi 2432
AO: Africa/Luanda 244
GW: Africa/Bissau 245
IO: Indian/Chagos 246
AC: Atlantic/St_Helena 247
SC: Indian/Mahe 248
SD: Africa/Khartoum 249
RW: Africa/Kigali 250
ET: Africa/Addis_Ababa 251
SO: Africa/Mogadishu 252
DJ: Africa/Djibouti 253
KE: Africa/Nairobi 254
TZ: Africa/Dar_es_Salaam 255
UG: Africa/Kampala 256
BI: Africa/Bujumbura 257
MZ: Africa/Maputo 258
ZM: Africa/Lusaka 260
MG: Indian/Antananarivo 261
# prefixes that no plan has can be of either island
RE&YT: Indian/Mayotte Indian/Reunion 262
YT: Indian/Mayotte 2622689 26226900 26226901 26226902 26226903 26226904 26226906 26226907 26226915 26226950 26226951
  26226952 26226953 26226954 2622696 26226970 26226980 26263900 26263901 26263902 26263903 26263904 26263905 26263906
  26263907 26263909 26263910 26263911 26263919 2626392 26263930 26263939 26263940 26263950 26263955 26263956 26263957
  26263958 26263959 2626396 2626397 26263990 26263994 26263995 26263996 26263997 26263999 26270935 26270936 26270937
  26293980 26293981 26294780 26294781 2629769
ZW: Africa/Harare 263
NA: Africa/Windhoek 264
MW: Africa/Blantyre 265
LS: Africa/Maseru 266
BW: Africa/Gaborone 267
SZ: Africa/Mbabane 268
KM: Indian/Comoro 269
ZA: Africa/Johannesburg 27
SH: Atlantic/St_Helena 290
TA: Atlantic/St_Helena 2908
ER: Africa/Asmara 291
AW: America/Aruba 297
FO: Atlantic/Faroe 298
# numbers that are nationwide, and those that no plan has: all clocks of the country
GL: America/Danmarkshavn America/Nuuk America/Thule 299
# fixed lines of the south-west
GL: America/Nuuk 29931 29932 29933 29934 29935 29936
GR: Europe/Athens 30
NL: Europe/Amsterdam 31
BE: Europe/Brussels 32
FR: Europe/Paris 33
# numbers that are nationwide, and those that no plan has: all clocks of the country
ES: Atlantic/Canary Europe/Madrid 34
# fixed lines of the mainland, Ceuta and Melilla
ES: Europe/Madrid 348 349
# nationwide numbers
ES: Atlantic/Canary Europe/Madrid 34800 34803 34806 34807 34900 34901 34902 34905 34908 34909
# fixed lines of the Canary Islands
ES: Atlantic/Canary 34822 34828 34922 34928
GI: Europe/Gibraltar 350
# numbers that are nationwide, and those that no plan has: all clocks of the country
PT: Atlantic/Azores Europe/Lisbon 351
# fixed lines of the mainland and Madeira
PT: Europe/Lisbon 3512
# fixed lines of the Azores
PT: Atlantic/Azores 351292 351295 351296
LU: Europe/Luxembourg 352
IE: Europe/Dublin 353
IS: Atlantic/Reykjavik 354
AL: Europe/Tirane 355
MT: Europe/Malta 356
CY: Asia/Nicosia 357
FI: Europe/Helsinki 358
AX: Europe/Mariehamn 35818
BG: Europe/Sofia 359
HU: Europe/Budapest 36
LT: Europe/Vilnius 370
LV: Europe/Riga 371
EE: Europe/Tallinn 372
MD: Europe/Chisinau 373
AM: Asia/Yerevan 374
BY: Europe/Minsk 375
AD: Europe/Andorra 376
MC: Europe/Monaco 377
SM: Europe/San_Marino 378
# no network of Ukraine serves Crimea since 2015; see 380 65 and 380 69 for its fixed lines
UA: Europe/Kyiv 380
# fixed lines of Crimea
UA: Europe/Kyiv Europe/Simferopol 38065 38069
RS: Europe/Belgrade 381
ME: Europe/Podgorica 382
XK: Europe/Belgrade 383
HR: Europe/Zagreb 385
SI: Europe/Ljubljana 386
BA: Europe/Sarajevo 387
MK: Europe/Skopje 389
IT: Europe/Rome 39
VA: Europe/Vatican 3906698
RO: Europe/Bucharest 40
CH: Europe/Zurich 41
CZ: Europe/Prague 420
SK: Europe/Bratislava 421
LI: Europe/Vaduz 423
AT: Europe/Vienna 43
GB: Europe/London 44
GG: Europe/Guernsey 4414812 4414815 4414816 4414817 4414818 4414819 447781 447839 4479111 4479117 44980 44981
JE: Europe/Jersey 4415340 4415341 4415342 4415344 4415345 4415346 4415347 4415348 447509 4477003 4477007 4477008
  447797 447829 447937
IM: Europe/Isle_of_Man 441624 4474576 447524 447624
DK: Europe/Copenhagen 45
SE: Europe/Stockholm 46
NO: Europe/Oslo 47
SJ: Arctic/Longyearbyen 4779
PL: Europe/Warsaw 48
DE: Europe/Berlin 49
FK: Atlantic/Stanley 500
BZ: America/Belize 501
GT: America/Guatemala 502
SV: America/El_Salvador 503
HN: America/Tegucigalpa 504
NI: America/Managua 505
CR: America/Costa_Rica 506
PA: America/Panama 507
PM: America/Miquelon 508
HT: America/Port-au-Prince 509
PE: America/Lima 51
# numbers that are nationwide, and those that no plan has: all clocks of the country
MX: America/Cancun America/Ciudad_Juarez America/Matamoros America/Mazatlan America/Mexico_City America/Tijuana 52
# area codes of the centre
MX: America/Mexico_City 522 523 524 525 527 528 529
# nationwide numbers
MX: America/Cancun America/Ciudad_Juarez America/Matamoros America/Mazatlan America/Mexico_City America/Tijuana 52200
  52201 52300 52500 52800 52888 52900
# NAY
MX: America/Mazatlan 52311 52319 52323 52324 52325 52327 52389
# NAY: Bahia de Banderas has Mexico City's clock
MX: America/Bahia_Banderas America/Mazatlan 52329
# BCS, SIN
MX: America/Mazatlan 52612 52613 52615 52624 52667 52668 52669 52672 52673
# CHIH: Mexico City's clock since 2022
MX: America/Chihuahua 52614 52621 52625 52627 52628 52629 52635 52636 52639 52648 52649 52652 52657 52659
# BC
MX: America/Tijuana 52616 52646 52658 52661 52664 52665 52686
# DGO
MX: America/Mexico_City 52618 52671 52674 52675 52676 52677
# SON
MX: America/Hermosillo 52622 52623 52631 52632 52633 52634 52637 52638 52641 52642 52643 52644 52645 52647 52651 52653
  52662
# CHIH: the border has the clock of the United States
MX: America/Chihuahua America/Ojinaga 52626
# Ciudad Juarez has the clock of El Paso
MX: America/Ciudad_Juarez 52656
# BC: Tijuana; phonenumbers has Mexico City
MX: America/Mexico_City America/Tijuana 52663
# SIN
MX: America/Mazatlan 52687 52694 52695 52696 52697 52698
# towns on the border
MX: America/Matamoros America/Monterrey 52862 52867 52868 52873 52877 52878 52891 52892 52894 52897 52899
# ROO
MX: America/Cancun 52983 52984 52987 52998
# YUC and ROO
MX: America/Cancun America/Merida 52985 52986 52997
CU: America/Havana 53
AR: America/Argentina/Buenos_Aires 54
# numbers that are nationwide, and those that no plan has: all clocks of the country
BR: America/Manaus America/Noronha America/Rio_Branco America/Sao_Paulo 55
# area codes of states of UTC-3
BR: America/Sao_Paulo 551 552 553 554 555 557 558
# nationwide numbers
BR: America/Manaus America/Noronha America/Rio_Branco America/Sao_Paulo 5530 5540 554370 554864 55500 55800
# states of UTC-3
BR: America/Sao_Paulo 5561 5562 5563 5564 5591 5593 5594 5596 5598 5599
# MT, MS, RO, AM, RR
BR: America/Manaus 5565 5566 5567 5569 5592 5595
# MT: Araguaiana and Cocalinho, on the border with GO
BR: America/Manaus America/Sao_Paulo 55663499 55663586
# AC
BR: America/Rio_Branco 5568
# PE: Fernando de Noronha has the area code of Recife
BR: America/Noronha America/Recife 5581
# AM: Nhamunda, on the border with PA
BR: America/Manaus America/Sao_Paulo 55923534
# the west of AM has the clock of AC
BR: America/Eirunepe America/Manaus 5597
# numbers that are nationwide, and those that no plan has: all clocks of the country
CL: America/Coyhaique America/Santiago Pacific/Easter 56
# fixed lines
CL: America/Santiago 562 563 564 565 566 567
# Valparaiso's area code is Easter Island's too
CL: America/Santiago Pacific/Easter 5632
# nationwide numbers
CL: America/Coyhaique America/Santiago Pacific/Easter 5644 56600
# fixed lines of Magallanes
CL: America/Punta_Arenas 5661
# fixed lines of Aysen, whose clock changed in 2025
CL: America/Coyhaique America/Santiago 5667
CO: America/Bogota 57
VE: America/Caracas 58
GP: America/Guadeloupe 590
MF: America/Marigot 59059000 59059007 59059009 59059013 59059030 59059043 59059050 59059056 59059058 59059077 59059079
BL: America/St_Barthelemy 59059027 59059029 59059051 59059052 59059087
BO: America/La_Paz 591
GY: America/Guyana 592
# numbers that are nationwide, and those that no plan has: all clocks of the country
EC: America/Guayaquil Pacific/Galapagos 593
# fixed lines of the mainland
EC: America/Guayaquil 5932 5933 5934 5936 5937
# numbers of telephones over the internet
EC: America/Guayaquil Pacific/Galapagos 5932890 5933890 5934890 5936890 5937890
# phonenumbers names Galapagos here, and not in 05
EC: America/Guayaquil Pacific/Galapagos 59345
GF: America/Cayenne 594
PY: America/Asuncion 595
MQ: America/Martinique 596
SR: America/Paramaribo 597
UY: America/Montevideo 598
CW: America/Curacao 599
BQ: America/Kralendijk 5993 5994 5997
MY: Asia/Kuching 60
# numbers that are nationwide, and those that no plan has: all clocks of the country
AU: Australia/Adelaide Australia/Brisbane Australia/Darwin Australia/Eucla Australia/Lord_Howe Australia/Perth
  Australia/Sydney 61
# NSW, ACT
AU: Australia/Sydney 612
# ranges of Lord Howe Island, by the names of phonenumbers
AU: Australia/Lord_Howe Australia/Sydney 61255053 61255143 61255213 61255280 61255307 61255369 61255413 61255475
  61255568 61255620 61255623 61255684 61255720 6125576 6125577 6125578 6125579 61255936 61255937 61265080 61265081
  61265082 61265099 61265164 61265251 61265296 61265341 61265606 61265998
# 02 6563 is Lord Howe Island
AU: Australia/Lord_Howe Australia/Sydney 6126563
# VIC and TAS, which have Sydney's clock
AU: Australia/Sydney 613
# QLD, and the border of NSW, which has summer time
AU: Australia/Brisbane Australia/Sydney 617
# SA, NT, WA
AU: Australia/Adelaide Australia/Darwin Australia/Eucla Australia/Perth 618
CX: Indian/Christmas 61851001 61851030 61851059 61851088 61851117 61851146 61851175 61851222 61851235 6189164 61891958
CC: Indian/Cocos 61851002 61851031 61851060 61851089 61851118 61851176 61851223 6189162 61891703
# WA
AU: Australia/Perth 6186 6189
# SA, and Broken Hill, which has its clock
AU: Australia/Adelaide 6188
# Broken Hill, and the far west of NSW around it
AU: Australia/Adelaide Australia/Sydney 61880
# NT
AU: Australia/Adelaide Australia/Darwin 61889
# the south-east of WA
AU: Australia/Eucla Australia/Perth 618903 618908 618909
# numbers that are nationwide, and those that no plan has: all clocks of the country
ID: Asia/Jakarta Asia/Jayapura Asia/Makassar 62
# Java, Sumatra
ID: Asia/Jakarta 622 6231 6232 6233 6234 6235 626 627
# Bali, Nusa Tenggara, Sulawesi
ID: Asia/Makassar 6236 6237 6238 624
# Kalimantan has two clocks
ID: Asia/Jakarta Asia/Makassar 625
# Maluku, Papua
ID: Asia/Jayapura 6290 6291 6292 6295 6296 6297 6298
PH: Asia/Manila 63
# numbers that are nationwide, and those that no plan has: all clocks of the country
NZ: Pacific/Auckland Pacific/Chatham 64
# fixed lines
NZ: Pacific/Auckland 643 644 646 647 649
# ranges of the Chatham Islands, by the names of phonenumbers
NZ: Pacific/Auckland Pacific/Chatham 6432613 6432719 6433950 6434238 6434246 6435513 6435667 6436509 6436627 6436688
  6437460 6439085 6439757 6439854
# 03 305 is the Chatham Islands
NZ: Pacific/Auckland Pacific/Chatham 64330
# nationwide numbers
NZ: Pacific/Auckland Pacific/Chatham 6470 6490
SG: Asia/Singapore 65
TH: Asia/Bangkok 66
TL: Asia/Dili 670
NF: Pacific/Norfolk 672
# the stations of Australia in Antarctica; phonenumbers has Norfolk Island
AQ&AU&NF: Antarctica/Casey Antarctica/Davis Antarctica/Macquarie Antarctica/Mawson Pacific/Norfolk 6721
BN: Asia/Brunei 673
NR: Pacific/Nauru 674
# numbers that are nationwide, and those that no plan has: all clocks of the country
PG: Pacific/Bougainville Pacific/Port_Moresby 675
# fixed lines of the mainland
PG: Pacific/Port_Moresby 6753 6754 6755 6756
TO: Pacific/Tongatapu 676
SB: Pacific/Guadalcanal 677
VU: Pacific/Efate 678
FJ: Pacific/Fiji 679
PW: Pacific/Palau 680
WF: Pacific/Wallis 681
CK: Pacific/Rarotonga 682
NU: Pacific/Niue 683
WS: Pacific/Apia 685
# numbers that are nationwide, and those that no plan has: all clocks of the country
KI: Pacific/Kanton Pacific/Kiritimati Pacific/Tarawa 686
NC: Pacific/Noumea 687
TV: Pacific/Funafuti 688
# numbers that are nationwide, and those that no plan has: all clocks of the country
PF: Pacific/Gambier Pacific/Marquesas Pacific/Tahiti 689
TK: Pacific/Fakaofo 690
# numbers that are nationwide, and those that no plan has: all clocks of the country
FM: Pacific/Chuuk Pacific/Kosrae 691
# fixed lines of Pohnpei
FM: Pacific/Pohnpei 69132
# fixed lines of Chuuk and Yap
FM: Pacific/Chuuk 69133 69135
# fixed lines of Kosrae
FM: Pacific/Kosrae 69137
MH: Pacific/Majuro 692
# numbers that are nationwide, and those that no plan has: all clocks of the country
RU: Asia/Irkutsk Asia/Kamchatka Asia/Magadan Asia/Novosibirsk Asia/Omsk Asia/Vladivostok Asia/Yakutsk
  Asia/Yekaterinburg Europe/Kaliningrad Europe/Moscow Europe/Samara 7
# Buryatia, Irkutsk
RU: Asia/Irkutsk 7301 7395
# Zabaykalsky, Amur
RU: Asia/Yakutsk 7302 7416
# Ural
RU: Asia/Yekaterinburg 733 734 735
# Udmurtia, Ulyanovsk, Saratov, Samara, Astrakhan
RU: Europe/Samara 7341 7842 7845 7846 7848 7851
# area codes of Moscow's clock
RU: Europe/Moscow 736 747 748 749 781 782 783 7841 7843 7844 7847 7855 7856 7857 786 787
# Omsk
RU: Asia/Omsk 7381
# Tomsk to Tuva
RU: Asia/Krasnoyarsk 7382 7383 7384 7385 7388 7390 7391 7394
# Kaliningrad
RU: Europe/Kaliningrad 740
# Sakha has three clocks
RU: Asia/Srednekolymsk Asia/Vladivostok Asia/Yakutsk 7411
# Magadan, Sakhalin
RU: Asia/Magadan 7413 7424
# Kamchatka, Chukotka
RU: Asia/Kamchatka 7415 7427
# Khabarovsk, Primorye, Jewish region
RU: Asia/Vladivostok 7421 7423 7426
KZ: Asia/Almaty 77
# toll-free numbers that are called from abroad
RU: Asia/Irkutsk Asia/Kamchatka Asia/Magadan Asia/Novosibirsk Asia/Omsk Asia/Vladivostok Asia/Yakutsk
  Asia/Yekaterinburg Europe/Kaliningrad Europe/Moscow Europe/Samara 78108
# Abkhazia, where Russian numbers were in use
RU: Europe/Moscow 7840
JP: Asia/Tokyo 81
KR: Asia/Seoul 82
VN: Asia/Ho_Chi_Minh 84
KP: Asia/Pyongyang 850
HK: Asia/Hong_Kong 852
MO: Asia/Macau 853
KH: Asia/Phnom_Penh 855
LA: Asia/Vientiane 856
# Beijing time is the legal time of the whole country; see 86 90 and 86 99 for Xinjiang
CN: Asia/Shanghai 86
# Xinjiang lives by two clocks
CN: Asia/Shanghai Asia/Urumqi 8690 8699
BD: Asia/Dhaka 880
TW: Asia/Taipei 886
TR: Europe/Istanbul 90
IN: Asia/Kolkata 91
PK: Asia/Karachi 92
AF: Asia/Kabul 93
LK: Asia/Colombo 94
MM: Asia/Yangon 95
MV: Indian/Maldives 960
LB: Asia/Beirut 961
JO: Asia/Amman 962
SY: Asia/Damascus 963
IQ: Asia/Baghdad 964
KW: Asia/Kuwait 965
SA: Asia/Riyadh 966
YE: Asia/Aden 967
OM: Asia/Muscat 968
PS: Asia/Gaza 970
AE: Asia/Dubai 971
IL: Asia/Jerusalem 972
BH: Asia/Bahrain 973
QA: Asia/Qatar 974
BT: Asia/Thimphu 975
# numbers that are nationwide, and those that no plan has: all clocks of the country
MN: Asia/Hovd Asia/Ulaanbaatar 976
# fixed lines
MN: Asia/Ulaanbaatar 97611 97612 97613 97615 97621 97622 97623 97625
NP: Asia/Kathmandu 977
IR: Asia/Tehran 98
TJ: Asia/Dushanbe 992
TM: Asia/Ashgabat 993
AZ: Asia/Baku 994
GE: Asia/Tbilisi 995
KG: Asia/Bishkek 996
UZ: Asia/Tashkent 998
"""
