"""The purposes of campaigns: what their calls and text messages are for, by which laws and rules tell them apart."""

from typing import Final

from dialer.domain.words.enum_descriptions import DescribedText

NOT_SAID: Final = ""
"""The purpose of a campaign that does not say it. Every rule binds such a campaign."""


class Purpose(DescribedText):
    """The purpose of a campaign."""

    SALES = "sales", "To sell, or to advertise."
    SURVEY = "survey", "To ask for opinions, with no offer."
    INFORMATION = "information", "Reminders and notices."
    DEBT = "debt", "To collect a debt."
    FUNDRAISING = "fundraising", "To ask for donations."
    POLITICAL = "political", "To ask for votes or support."
    EMERGENCY = "emergency", "To warn of danger. Only admins may say so."


class Sector(DescribedText):
    """The trade of a campaign, where laws have rules for it alone."""

    ENERGY = "energy", "Electricity and gas."
    HEALTH = "health", "Health care."
    FINANCE = "finance", "Banks, insurance and credit."
