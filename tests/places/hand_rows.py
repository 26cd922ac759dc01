"""Rows made by hand, where phonenumbers has another country's zone, an outdated one, or too few.

They are facts of numbering plans and of the zone database. A prefix has the calling code and no `+`. A longer prefix
wins. Countries with one clock need no rows.
"""

from typing import Final, NamedTuple


class HandRow(NamedTuple):
    """The zones of all numbers that begin with one of the prefixes, and why the table has them."""

    prefixes: str
    zones: str
    """Names between blanks; `ALL` stands for all clocks of the country."""
    reason: str


ALL: Final = "all"

ONE_CLOCK: Final = {
    "CN": ("Asia/Shanghai", "Beijing time is the legal time of the whole country; see 86 90 and 86 99 for Xinjiang"),
    "UA": ("Europe/Kyiv", "no network of Ukraine serves Crimea since 2015; see 380 65 and 380 69 for its fixed lines"),
}
"""Countries whose numbers have one zone, although the zone database has several, with the reason."""

COUNTRIES_OF_START: Final = {
    "2125288": ("EH",),
    "2125289": ("EH",),
    "262": ("RE", "YT"),
    "6721": ("AQ", "AU", "NF"),
}
"""Countries that phonenumbers does not tell from the main country of a calling code, by prefix."""

ELSEWHERE: Final = (
    HandRow("262", "Indian/Reunion Indian/Mayotte", "prefixes that no plan has can be of either island"),
    HandRow(
        "6721",
        "Antarctica/Casey Antarctica/Davis Antarctica/Macquarie Antarctica/Mawson Pacific/Norfolk",
        "the stations of Australia in Antarctica; phonenumbers has Norfolk Island",
    ),
    HandRow("8690 8699", "Asia/Shanghai Asia/Urumqi", "Xinjiang lives by two clocks"),
    HandRow("38065 38069", "Europe/Kyiv Europe/Simferopol", "fixed lines of Crimea"),
    # Spain, Portugal, Ecuador, New Zealand: mobile and other numbers are nationwide.
    HandRow("348 349", "Europe/Madrid", "fixed lines of the mainland, Ceuta and Melilla"),
    HandRow("34822 34828 34922 34928", "Atlantic/Canary", "fixed lines of the Canary Islands"),
    HandRow("34800 34803 34806 34807 34900 34901 34902 34905 34908 34909", ALL, "nationwide numbers"),
    HandRow("3512", "Europe/Lisbon", "fixed lines of the mainland and Madeira"),
    HandRow("351292 351295 351296", "Atlantic/Azores", "fixed lines of the Azores"),
    HandRow("5932 5933 5934 5936 5937", "America/Guayaquil", "fixed lines of the mainland"),
    HandRow("5932890 5933890 5934890 5936890 5937890", ALL, "numbers of telephones over the internet"),
    HandRow("59345", "America/Guayaquil Pacific/Galapagos", "phonenumbers names Galapagos here, and not in 05"),
    HandRow("643 644 646 647 649", "Pacific/Auckland", "fixed lines"),
    HandRow("6470 6490", ALL, "nationwide numbers"),
    HandRow("64330", "Pacific/Auckland Pacific/Chatham", "03 305 is the Chatham Islands"),
    HandRow(
        "6432613 6432719 6433950 6434238 6434246 6435513 6435667"
        " 6436509 6436627 6436688 6437460 6439085 6439757 6439854",
        "Pacific/Auckland Pacific/Chatham",
        "ranges of the Chatham Islands, by the names of phonenumbers",
    ),
    # Chile: Santiago's clock but in the far south and on Easter Island.
    HandRow("562 563 564 565 566 567", "America/Santiago", "fixed lines"),
    HandRow("5644 56600", ALL, "nationwide numbers"),
    HandRow("5632", "America/Santiago Pacific/Easter", "Valparaiso's area code is Easter Island's too"),
    HandRow("5661", "America/Punta_Arenas", "fixed lines of Magallanes"),
    HandRow("5667", "America/Coyhaique America/Santiago", "fixed lines of Aysen, whose clock changed in 2025"),
    # Brazil: area codes, by states. Mobile numbers have them too.
    HandRow("551 552 553 554 555 557 558", "America/Sao_Paulo", "area codes of states of UTC-3"),
    HandRow("5561 5562 5563 5564 5591 5593 5594 5596 5598 5599", "America/Sao_Paulo", "states of UTC-3"),
    HandRow("5565 5566 5567 5569 5592 5595", "America/Manaus", "MT, MS, RO, AM, RR"),
    HandRow("5568", "America/Rio_Branco", "AC"),
    HandRow(
        "55663499 55663586", "America/Manaus America/Sao_Paulo", "MT: Araguaiana and Cocalinho, on the border with GO"
    ),
    HandRow("55923534", "America/Manaus America/Sao_Paulo", "AM: Nhamunda, on the border with PA"),
    HandRow("5597", "America/Manaus America/Eirunepe", "the west of AM has the clock of AC"),
    HandRow("5581", "America/Recife America/Noronha", "PE: Fernando de Noronha has the area code of Recife"),
    HandRow("5530 5540 554370 554864 55500 55800", ALL, "nationwide numbers"),
    # Mexico: area codes, by states. Mobile numbers have them too.
    HandRow("522 523 524 525 527 528 529", "America/Mexico_City", "area codes of the centre"),
    HandRow("52200 52201 52300 52500 52600 52800 52888 52900", ALL, "nationwide numbers"),
    HandRow("52618 52671 52674 52675 52676 52677", "America/Mexico_City", "DGO"),
    HandRow(
        "52614 52621 52625 52627 52628 52629 52635 52636", "America/Chihuahua", "CHIH: Mexico City's clock since 2022"
    ),
    HandRow("52639 52648 52649 52652 52657 52659", "America/Chihuahua", "CHIH: Mexico City's clock since 2022"),
    HandRow("52626", "America/Ojinaga America/Chihuahua", "CHIH: the border has the clock of the United States"),
    HandRow("52656", "America/Ciudad_Juarez", "Ciudad Juarez has the clock of El Paso"),
    HandRow("52311 52319 52323 52324 52325 52327 52389", "America/Mazatlan", "NAY"),
    HandRow("52329", "America/Bahia_Banderas America/Mazatlan", "NAY: Bahia de Banderas has Mexico City's clock"),
    HandRow("52612 52613 52615 52624 52667 52668 52669 52672 52673", "America/Mazatlan", "BCS, SIN"),
    HandRow("52687 52694 52695 52696 52697 52698", "America/Mazatlan", "SIN"),
    HandRow("52622 52623 52631 52632 52633 52634 52637 52638", "America/Hermosillo", "SON"),
    HandRow("52641 52642 52643 52644 52645 52647 52651 52653 52662", "America/Hermosillo", "SON"),
    HandRow("52616 52646 52658 52661 52664 52665 52686", "America/Tijuana", "BC"),
    HandRow("52663", "America/Tijuana America/Mexico_City", "BC: Tijuana; phonenumbers has Mexico City"),
    HandRow("52862 52867 52868 52873 52877 52878", "America/Matamoros America/Monterrey", "towns on the border"),
    HandRow("52891 52892 52894 52897 52899", "America/Matamoros America/Monterrey", "towns on the border"),
    HandRow("52983 52984 52987 52998", "America/Cancun", "ROO"),
    HandRow("52985 52986 52997", "America/Cancun America/Merida", "YUC and ROO"),
    # Russia: area codes begin with 3, 4 or 8. Other numbers, and mobile ones above all, are nationwide.
    HandRow("7301 7395", "Asia/Irkutsk", "Buryatia, Irkutsk"),
    HandRow("7302 7416", "Asia/Yakutsk", "Zabaykalsky, Amur"),
    HandRow("7411", "Asia/Yakutsk Asia/Vladivostok Asia/Srednekolymsk", "Sakha has three clocks"),
    HandRow("733 734 735", "Asia/Yekaterinburg", "Ural"),
    HandRow("7341 7842 7845 7846 7848 7851", "Europe/Samara", "Udmurtia, Ulyanovsk, Saratov, Samara, Astrakhan"),
    HandRow("736 747 748 749 781 782 783 786 787", "Europe/Moscow", "area codes of Moscow's clock"),
    HandRow("7841 7843 7844 7847 7855 7856 7857", "Europe/Moscow", "area codes of Moscow's clock"),
    HandRow("7840", "Europe/Moscow", "Abkhazia, where Russian numbers were in use"),
    HandRow("7381", "Asia/Omsk", "Omsk"),
    HandRow("7382 7383 7384 7385 7388 7390 7391 7394", "Asia/Krasnoyarsk", "Tomsk to Tuva"),
    HandRow("78108", ALL, "toll-free numbers that are called from abroad"),
    HandRow("740", "Europe/Kaliningrad", "Kaliningrad"),
    HandRow("7413 7424", "Asia/Magadan", "Magadan, Sakhalin"),
    HandRow("7415 7427", "Asia/Kamchatka", "Kamchatka, Chukotka"),
    HandRow("7421 7423 7426", "Asia/Vladivostok", "Khabarovsk, Primorye, Jewish region"),
    # Australia: 02, 03, 07 and 08 are areas. 04 and numbers of 1 are nationwide.
    HandRow("612", "Australia/Sydney", "NSW, ACT"),
    HandRow("6126563", "Australia/Sydney Australia/Lord_Howe", "02 6563 is Lord Howe Island"),
    HandRow(
        "61255053 61255143 61255213 61255280 61255307 61255369 61255413 61255475 61255568 61255620 61255623 61255684"
        " 61255720 6125576 6125577 6125578 6125579 61255936 61255937 61265080 61265081 61265082 61265099 61265164"
        " 61265251 61265296 61265341 61265606 61265998",
        "Australia/Sydney Australia/Lord_Howe",
        "ranges of Lord Howe Island, by the names of phonenumbers",
    ),
    HandRow("613", "Australia/Sydney", "VIC and TAS, which have Sydney's clock"),
    HandRow("617", "Australia/Brisbane Australia/Sydney", "QLD, and the border of NSW, which has summer time"),
    HandRow("618", "Australia/Adelaide Australia/Darwin Australia/Eucla Australia/Perth", "SA, NT, WA"),
    HandRow("6188", "Australia/Adelaide", "SA, and Broken Hill, which has its clock"),
    HandRow("61880", "Australia/Adelaide Australia/Sydney", "Broken Hill, and the far west of NSW around it"),
    HandRow("61889", "Australia/Adelaide Australia/Darwin", "NT"),
    HandRow("6186 6189", "Australia/Perth", "WA"),
    HandRow("618903 618908 618909", "Australia/Perth Australia/Eucla", "the south-east of WA"),
    # Indonesia: area codes of fixed lines. Mobile numbers begin with 8.
    HandRow("622 6231 6232 6233 6234 6235 626 627", "Asia/Jakarta", "Java, Sumatra"),
    HandRow("6236 6237 6238 624", "Asia/Makassar", "Bali, Nusa Tenggara, Sulawesi"),
    HandRow("625", "Asia/Jakarta Asia/Makassar", "Kalimantan has two clocks"),
    HandRow("6290 6291 6292 6295 6296 6297 6298", "Asia/Jayapura", "Maluku, Papua"),
    # Others with several clocks.
    HandRow("2431", "Africa/Kinshasa", "fixed lines of Kinshasa"),
    HandRow("2432", "Africa/Lubumbashi", "fixed lines of Katanga"),
    HandRow("69132", "Pacific/Pohnpei", "fixed lines of Pohnpei"),
    HandRow("69133 69135", "Pacific/Chuuk", "fixed lines of Chuuk and Yap"),
    HandRow("69137", "Pacific/Kosrae", "fixed lines of Kosrae"),
    HandRow("97611 97612 97613 97615 97621 97622 97623 97625", "Asia/Ulaanbaatar", "fixed lines"),
    HandRow("6753 6754 6755 6756", "Pacific/Port_Moresby", "fixed lines of the mainland"),
    HandRow("29931 29932 29933 29934 29935 29936", "America/Nuuk", "fixed lines of the south-west"),
)
"""Rows of countries with several clocks. All other numbers of such a country have all its clocks."""

NORTH_AMERICA: Final = (
    HandRow(
        "1867",
        "America/Whitehorse America/Inuvik America/Cambridge_Bay America/Rankin_Inlet America/Iqaluit",
        "Yukon, Northwest Territories, Nunavut; phonenumbers has Fort_Nelson",
    ),
    HandRow("1867334 1867393 1867456 1867536 1867633 1867667 1867668 1867993", "America/Whitehorse", "Yukon"),
    HandRow("1867587 1867669 1867695 1867777 1867872 1867873 1867874 1867920", "America/Inuvik", "NWT"),
    HandRow("1867983", "America/Cambridge_Bay", "Cambridge Bay keeps winter time, other than the rest of its zone"),
    HandRow("1867645", "America/Rankin_Inlet", "Rankin Inlet keeps winter time, other than Winnipeg"),
    HandRow("1867979", "America/Iqaluit", "Iqaluit"),
    HandRow("1907", "America/Anchorage America/Adak", "the west of the Aleutians has a clock of its own"),
    HandRow("1907581", "America/Anchorage", "Unalaska keeps Alaska's time; phonenumbers has Honolulu"),
    HandRow("1474", "America/Regina", "Saskatchewan; phonenumbers has Winnipeg"),
    HandRow("1689", "America/New_York", "Orlando; phonenumbers has Chicago"),
    HandRow("1709 1879", "America/St_Johns America/Goose_Bay", "most of Labrador has Atlantic time"),
    HandRow("1418", "America/Toronto America/Halifax America/Blanc-Sablon", "the islands and the east of Quebec"),
    HandRow("1800 1833 1844 1855 1866 1877 1888 1822 1880 1881 1882 1883 1884 1885 1886 1887 1889", ALL, "toll-free"),
    HandRow("1900", ALL, "premium rate: anywhere in North America"),
    HandRow("1500 1521 1522 1523 1524 1525 1526 1527 1528 1529 1532 1533 1544 1566 1577 1588", ALL, "personal numbers"),
)
"""Rows of North America. `ALL` stands for all clocks of all its countries."""

OVERLAYS: Final = {
    "1236": "1250",
    "1257": "1250",
    "1672": "1250",
    "1778": "1250",
    "1364": "1270",
    "1367": "1418",
    "1581": "1418",
    "1448": "1850",
    "1458": "1541",
    "1729": "1423",
    "1930": "1812",
    "1986": "1208",
}
"""Area codes that were laid over one with several clocks."""
