"""A browser without scripts: it keeps cookies, follows links, and sends the forms of pages."""

import re
from html import unescape
from typing import Any, Final

import httpx
from litestar import Litestar
from litestar.testing import TestClient

from tests.api.harness import PASSWORD

_TOKEN: Final = re.compile(r'name="csrf" value="([0-9a-f]{64})"')
_TAGS: Final = re.compile(r"<script.*?</script>|<[^>]*>", re.DOTALL)


class Visitor:
    """A visitor of the console with cookies of their own."""

    def __init__(self, client: TestClient[Litestar] | httpx.Client) -> None:
        self.client: Any = client
        self.cookies: dict[str, str] = {}
        self.page = ""

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - passed on
        """Send a request without following redirects, and keep the cookies of the answer."""
        self.client.cookies.clear()
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {**({"Cookie": cookie} if cookie else {}), **options.pop("headers", {})}
        answer: httpx.Response = self.client.request(
            method, f"/console/{path}", headers=headers, follow_redirects=False, **options
        )
        for name, value in answer.cookies.items():
            if value.strip('"'):
                self.cookies[name] = value
        for line in answer.headers.get_list("set-cookie"):
            if "Max-Age=0" in line:
                self.cookies.pop(line.partition("=")[0], None)
        return answer

    def get(self, path: str = "") -> str:
        """Load a page, and return its HTML."""
        answer = self.request("GET", path)
        assert answer.status_code == 200, (answer.status_code, answer.headers.get("location"), answer.text[-500:])
        self.page = answer.text
        return self.page

    def text(self, path: str = "") -> str:
        """Load a page, and return the words on it, with single blanks between them."""
        return words(self.get(path))

    def send(self, path: str, **fields: str) -> httpx.Response:
        """Send a form of the page that was loaded last."""
        return self.request("POST", path, data={"csrf": token_of(self.page), **fields})

    def sign_in(self, username: str, password: str = PASSWORD) -> httpx.Response:
        """Fill in the form of the sign-in, and send it."""
        self.get("sign-in/")
        return self.send("sign-in/", username=username, password=password)


def token_of(page: str) -> str:
    """Return the token of the forms of a page; empty if it has none."""
    found = _TOKEN.search(page)
    return found[1] if found else ""


def words(page: str) -> str:
    """Return the words of HTML."""
    return " ".join(unescape(_TAGS.sub(" ", page)).split())
