"""Tests of links with placeholders: whatever a list says, a link stays one, and leads to the same server."""

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.messages.link_templates import fill_link, is_link


def test_values_are_encoded_and_unknown_placeholders_are_removed() -> None:
    values = {"phone_number": "+1 202", "name": "Ada & Co./?#", "call_id": "7"}
    template = "https://crm.example:8443/p/{phone_number}?name={name}&call={ call_id }&x={nothing}#top"
    assert fill_link(template, values) == (
        "https://crm.example:8443/p/%2B1%20202?name=Ada%20%26%20Co.%2F%3F%23&call=7&x=#top"
    )


@pytest.mark.parametrize(
    "template",
    [
        *("", "crm.example", "//crm.example/", "javascript:alert(1)", "data:text/html,x", "ftp://crm.example/"),
        *("https:///people", "https://{host}/", "https://crm.example{host}/", "https://me@crm.example/"),
        *("https://crm.example/a b", "https://crm.example/\n", 'https://crm.example/"x', "https://crm.example\\@x/"),
        *("https://[::1/", "https://crm.example:port/", "https://crm.example/<b>", " https://crm.example/"),
    ],
)
def test_others_are_no_links_and_are_never_filled(template: str) -> None:
    assert (is_link(template), fill_link(template, {"host": "evil.example"})) == (False, "")


@given(st.dictionaries(st.sampled_from(["a", "b", "c d"]), st.text()), st.text())
def test_no_value_changes_the_server_or_adds_a_parameter(values: dict[str, str], other: str) -> None:
    filled = urlsplit(fill_link("https://crm.example/{a}/?b={b}&c={c d}#{e}", {**values, "e": other}))
    assert (filled.scheme, filled.netloc) == ("https", "crm.example")
    assert filled.path.count("/") == 2
    assert set(parse_qs(filled.query, keep_blank_values=True)) == {"b", "c"}
