"""The places of the demonstration's phonebook, with telephone numbers that belong to nobody.

They are numbers that regulators reserve for films and books: 555-0100 to 555-0199 in North America, and the drama
numbers of Ofcom, the Bundesnetzagentur, Arcep, the PTS and the ACMA. India, Japan and Brazil reserve none; their
numbers here have a 0 after the area code, which no real number has.
"""

from typing import Final

import msgspec


class Place(msgspec.Struct, frozen=True):
    """A city of some contacts. Their numbers are `prefix` followed by each of the `count` numbers from `first` on."""

    city: str
    country: str
    zone: str
    """IANA name of its time zone; empty for numbers that may ring anywhere."""
    language: str
    prefix: str
    first: str
    """With leading zeros: every number of the place has this length."""
    count: int
    pattern: str
    """The local spelling of the digits after the country code; each # is a digit."""

    def number(self, offset: int) -> str:
        """Return a number of the place in E.164; `offset` is below `count`."""
        return f"{self.prefix}{int(self.first) + offset:0{len(self.first)}d}"


_NORTH_AMERICA: Final = "(###) ###-####"
_UNITED_STATES: Final = (
    ("New York", "212", "America/New_York"),
    ("Boston", "617", "America/New_York"),
    ("Philadelphia", "215", "America/New_York"),
    ("Atlanta", "404", "America/New_York"),
    ("Miami", "305", "America/New_York"),
    ("Detroit", "313", "America/Detroit"),
    ("Chicago", "312", "America/Chicago"),
    ("Dallas", "214", "America/Chicago"),
    ("Houston", "713", "America/Chicago"),
    ("Minneapolis", "612", "America/Chicago"),
    ("New Orleans", "504", "America/Chicago"),
    ("Denver", "303", "America/Denver"),
    ("Salt Lake City", "801", "America/Denver"),
    ("Phoenix", "602", "America/Phoenix"),
    ("Los Angeles", "213", "America/Los_Angeles"),
    ("San Francisco", "415", "America/Los_Angeles"),
    ("Seattle", "206", "America/Los_Angeles"),
    ("Anchorage", "907", "America/Anchorage"),
    ("Honolulu", "808", "Pacific/Honolulu"),
)
_CANADA: Final = (
    ("St. John's", "709", "America/St_Johns"),
    ("Halifax", "902", "America/Halifax"),
    ("Toronto", "416", "America/Toronto"),
    ("Winnipeg", "204", "America/Winnipeg"),
    ("Calgary", "403", "America/Edmonton"),
    ("Vancouver", "604", "America/Vancouver"),
)
TOLL_FREE: Final = "toll-free"
"""The city of numbers that may ring in any zone of North America."""
_TOLL_FREE_AREAS: Final = ("800", "833", "844", "855", "866", "877", "888")

PLACES: Final[tuple[Place, ...]] = (
    *(
        Place(city, "United States", zone, "en", f"+1{area}555", "0100", 50, _NORTH_AMERICA)
        for city, area, zone in _UNITED_STATES
    ),
    *(Place(city, "Canada", zone, "en", f"+1{area}555", "0100", 40, _NORTH_AMERICA) for city, area, zone in _CANADA),
    *(
        Place(TOLL_FREE, "United States", "", "en", f"+1{area}555", "0199", 1, _NORTH_AMERICA)
        for area in _TOLL_FREE_AREAS
    ),
    Place("London", "United Kingdom", "Europe/London", "en", "+44207946", "0140", 160, "## #### ####"),
    Place("Bristol", "United Kingdom", "Europe/London", "en", "+44117496", "0220", 50, "### ### ####"),
    Place("Manchester", "United Kingdom", "Europe/London", "en", "+44161496", "0310", 60, "### ### ####"),
    Place("Edinburgh", "United Kingdom", "Europe/London", "en", "+44131496", "0415", 50, "### ### ####"),
    Place("Berlin", "Germany", "Europe/Berlin", "de", "+493023125", "120", 80, "## ########"),
    Place("Hamburg", "Germany", "Europe/Berlin", "de", "+494066969", "210", 40, "## ########"),
    Place("Frankfurt", "Germany", "Europe/Berlin", "de", "+496990009", "340", 40, "## ########"),
    Place("Cologne", "Germany", "Europe/Berlin", "de", "+492214710", "450", 40, "### #######"),
    Place("Munich", "Germany", "Europe/Berlin", "de", "+498999998", "560", 40, "## ########"),
    Place("Paris", "France", "Europe/Paris", "fr", "+3319900", "1230", 80, "# ## ## ## ##"),
    Place("Rennes", "France", "Europe/Paris", "fr", "+3326191", "2340", 30, "# ## ## ## ##"),
    Place("Lyon", "France", "Europe/Paris", "fr", "+3346571", "3450", 40, "# ## ## ## ##"),
    Place("Toulouse", "France", "Europe/Paris", "fr", "+3353649", "4560", 30, "# ## ## ## ##"),
    Place("Stockholm", "Sweden", "Europe/Stockholm", "sv", "+46846500", "400", 60, "# ### ### ##"),
    Place("Gothenburg", "Sweden", "Europe/Stockholm", "sv", "+463139006", "00", 40, "## ### ## ##"),
    Place("Sydney", "Australia", "Australia/Sydney", "en", "+6125550", "1200", 100, "# #### ####"),
    Place("Melbourne", "Australia", "Australia/Melbourne", "en", "+6137010", "2300", 90, "# #### ####"),
    Place("Perth", "Australia", "Australia/Perth", "en", "+6187010", "4500", 50, "# #### ####"),
    Place("Mumbai", "India", "Asia/Kolkata", "en", "+91220000", "0110", 50, "## #### ####"),
    Place("Delhi", "India", "Asia/Kolkata", "en", "+91110000", "0220", 50, "## #### ####"),
    Place("Tokyo", "Japan", "Asia/Tokyo", "ja", "+8130000", "0330", 90, "# #### ####"),
    Place("São Paulo", "Brazil", "America/Sao_Paulo", "pt", "+55110000", "0440", 60, "## ####-####"),
    Place("Rio de Janeiro", "Brazil", "America/Sao_Paulo", "pt", "+55210000", "0550", 40, "## ####-####"),
)
"""Every place, in the order of the countries in the report."""

COUNTRY_CODES: Final = {
    "United States": "1",
    "Canada": "1",
    "United Kingdom": "44",
    "Germany": "49",
    "France": "33",
    "Sweden": "46",
    "Australia": "61",
    "India": "91",
    "Japan": "81",
    "Brazil": "55",
}

PLACE_OF_NUMBER: Final = {place.number(offset): place for place in PLACES for offset in range(place.count)}
"""The place of each number of the phonebook, by its E.164 form. The report checks calling hours by it."""
