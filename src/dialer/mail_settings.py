"""The settings of the mail server that sends reports."""

from functools import partial
from typing import Final

from dialer.settings_values import ANY, REAL, Setting, check_mail_url, read_mail_address, read_one_of

MAIL_SETTINGS: Final = (
    Setting(
        variable="DIALER_MAIL_URL",
        field="mail_url",
        default="unset",
        meaning="the mail server that sends reports",
        may_hold=(
            "smtp://USER:PASSWORD@HOST (STARTTLS), smtps://… (TLS from the beginning) or smtp+plain://… (not encrypted)"
        ),
        read=check_mail_url,
        is_secret=True,
    ),
    Setting(
        variable="DIALER_MAIL_FROM",
        field="mail_from",
        default="unset",
        meaning="the sender of mails",
        may_hold="an address such as dialer@example.com",
        read=read_mail_address,
    ),
    Setting(
        variable="DIALER_MAIL_CLOCK",
        field="mail_clock",
        default=REAL,
        meaning="the clocks by which mails are sent",
        may_hold="real, or any: also by a virtual or fast clock",
        read=partial(read_one_of, words=frozenset({REAL, ANY})),
    ),
)
"""The variables of mail, in the order of the help."""
