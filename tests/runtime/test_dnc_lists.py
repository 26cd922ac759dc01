"""Tests of campaigns with several do-not-call lists, and of lists that hold for every campaign."""

from typing import Final

from dialer.app.do_not_call import add_dnc_list, change_dnc_list
from dialer.domain.enums import SectionType, SubscriberStatus
from dialer.store.tables import SMS, CallRequest, Campaign, CampaignDncList, DncContact, SmsGateway, SmsMessage, Subscriber
from tests.runtime.conftest import PEOPLE
from tests.runtime.house import MONDAY_NOON_MS, House

REFUSED: Final = (SubscriberStatus.NOT_AUTHORIZED, "dnc")
NUMBERS: Final = ("+12025550111", "+12025550112", "+12025550113", "+12025550114")
