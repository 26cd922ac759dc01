"""The currencies in which accounts can be kept."""

from typing import Final

from dialer.domain.words.sentences import Sentence

_CODES: Final = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP
CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF
IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD
MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB
RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD
UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
"""
CURRENCIES: Final = frozenset(_CODES.split())
"""ISO 4217 codes of the currencies in which people pay."""


def read_currency(text: str) -> str:
    """Return the ISO 4217 code of the currency that a text names by its code, in upper or lower case.

    Raises:
        ValueError: there is no such currency; the message says so.
    """
    code = text.strip().upper()
    if code not in CURRENCIES:
        raise ValueError(
            Sentence("%(currency)r is not a currency. Enter its ISO 4217 code, such as EUR.", currency=text[:64])
        )
    return code
