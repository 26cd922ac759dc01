"""Tests of mails: what arrives at a real server, what is refused, and that no name begins a header of its own."""

from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.mail.letter import Letter, MailFile, one_line, write_message
from dialer.mail.server import MailOutcome, MailServer
from dialer.settings_values import MailUrl, is_mail_address, read_mail_url
from tests.api.harness import NOW_MS
from tests.mail.postbox import HOST, Postbox, knows_ada, serving

ADA = "ada@example.com"
SENDER = "dialer@example.com"
LETTER = Letter(
    "Zufriedenheit: Antworten",
    "4 von 10 haben geantwortet: nein.\n",
    "<p>4 von 10 haben geantwortet: <b>nein</b>.</p>",
    "de",
    (MailFile("antworten.csv", "text/csv", b"a,b\r\n1,2\r\n"),),
)


def message_of(letter: Letter, recipient: str = ADA) -> EmailMessage:
    return write_message(letter, SENDER, recipient, "report-7", NOW_MS)


def sent(box: Postbox, letter: Letter = LETTER, **options: Any) -> MailOutcome:  # noqa: ANN401 - of the server
    """Send a mail to a server, and return what came of it."""
    usual = {"scheme": "smtp", "user": "", "host": HOST}
    scheme, user, host = (options.pop(name, usual[name]) for name in usual)

    async def send() -> MailOutcome:
        async with serving(box, host, **options) as address:
            return await MailServer(f"{scheme}://{user}{address}")(message_of(letter))

    return anyio.run(send)


def test_a_mail_arrives_with_its_text_html_and_file() -> None:
    box = Postbox()
    assert sent(box) == MailOutcome()
    [mail] = box.mails
    assert box.envelopes == [(SENDER, [ADA])]
    assert {name: str(mail[name]) for name in ("Subject", "From", "To", "Message-ID", "Content-Language")} == {
        "Subject": LETTER.subject,
        "From": "dialer <dialer@example.com>",
        "To": ADA,
        "Message-ID": "<report-7@example.com>",
        "Content-Language": "de",
    }
    parts = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}
    assert parts["text/plain"].replace("\r\n", "\n") == LETTER.text
    assert parts["text/html"].strip() == LETTER.html
    assert parts["text/csv"] == "a,b\r\n1,2\r\n"


def test_a_server_that_knows_its_users_gets_a_password() -> None:
    options: dict[str, Any] = {"authenticator": knows_ada, "auth_require_tls": False}
    box = Postbox()
    assert sent(box, user="ada:p%40ss%3Aw%2Frd@", **options) == MailOutcome()
    refused = sent(box, user="ada:wrong@", **options)
    assert (refused.is_final, refused.problem[:4], len(box.mails)) == (False, "535 ", 1)


@pytest.mark.parametrize(("answer", "is_final"), [("550 No such user", True), ("450 Busy, try later", False)])
def test_a_refusal_says_whether_another_attempt_helps(answer: str, *, is_final: bool) -> None:
    box = Postbox()
    box.answers[ADA] = answer
    assert sent(box) == MailOutcome(answer, is_final)
    assert box.mails == []


def test_nothing_leaves_this_machine_unencrypted_unless_the_url_says_so() -> None:
    box = Postbox()
    refused = sent(box, host="127.0.0.2")
    assert (refused.is_final, "STARTTLS" in refused.problem.upper()) == (False, True)
    assert box.mails == []
    assert sent(box, host="127.0.0.2", scheme="smtp+plain") == MailOutcome()
    nobody = anyio.run(MailServer("smtp://127.0.0.1:9"), message_of(LETTER))
    assert (nobody.is_final, nobody.problem) == (False, "The mail server cannot be reached.")
    assert "127.0.0.1" in nobody.cause


@given(st.text(), st.text(), st.text())
def test_no_text_begins_a_header_of_its_own(subject: str, text: str, name: str) -> None:
    letter = Letter(f"{subject}\r\nBcc: eve@example.com", text, files=(MailFile(f"{name}\nX: y", "text/csv", b""),))
    usual = message_of(Letter("x", "y", files=letter.files))
    read = BytesParser(policy=default).parsebytes(message_of(letter).as_bytes())
    assert read.keys() == BytesParser(policy=default).parsebytes(usual.as_bytes()).keys()
    assert "\n" not in one_line(letter.subject)
    assert read["Bcc"] is None


@pytest.mark.parametrize(
    ("url", "read"),
    [
        ("smtp://localhost", MailUrl("localhost", 25, "", "", is_tls=False, starts_tls=False)),
        ("smtp://mail.example.com", MailUrl("mail.example.com", 587, "", "", is_tls=False, starts_tls=True)),
        (
            "smtps://a:b%3Ac@m.example.com",
            MailUrl("m.example.com", 465, "a", "b:c", is_tls=True, starts_tls=False),
        ),
        ("smtp+plain://10.0.0.7:2525/", MailUrl("10.0.0.7", 2525, "", "", is_tls=False, starts_tls=False)),
        ("smtp://[::1]", MailUrl("::1", 25, "", "", is_tls=False, starts_tls=False)),
        ("mail.example.com", None),
        ("http://mail.example.com", None),
        ("smtp://", None),
        ("smtp://mail.example.com/folder", None),
        ("smtp://mail.example.com:99999", None),
        ("smtp://mail example.com", None),
    ],
)
def test_the_url_of_a_server_says_how_it_is_encrypted(url: str, read: MailUrl | None) -> None:
    if read is None:
        with pytest.raises(ValueError, match=r".*"):
            read_mail_url(url)
    else:
        assert read_mail_url(url) == read


@pytest.mark.parametrize("text", ["ada@example.com", "a.b+c@sub.example.co", "o'neil@example.com", "x@localhost"])
def test_plain_addresses_are_taken(text: str) -> None:
    assert is_mail_address(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "ada",
            "@example.com",
            "ada@",
            "a b@example.com",
            "ada@example.com\r\nBcc: x@y.z",
            "Ada <ada@example.com>",
        ),
        *(
            "Ada <ada@example.com>",
            "ada@-x.com",
            "ada@example..com",
            ".a@example.com",
            "a@b@c",
            "ä@example.com",
            f"{'a' * 65}@b.c",
        ),
        *(f"a@{'b.' * 130}c", "ada@example.com,eve@example.com"),
    ],
)
def test_other_texts_are_no_addresses(text: str) -> None:
    assert not is_mail_address(text)
