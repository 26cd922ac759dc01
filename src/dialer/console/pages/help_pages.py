"""The documentation for users, as pages of the console: rendered from the files of this version, without a network."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio.to_thread
from litestar import Response, get
from litestar.params import FromPath

from dialer.api.service import ApiRequest
from dialer.console.serving.services import page
from dialer.console.words.language import gettext_noop
from dialer.resources.words.errors import RecordNotFoundError

PLACE: Final = "help"
HELP: Final = "/console/help/"
_PACKAGE: Final = Path(__file__).parents[2]
TITLES: Final[Mapping[str, str]] = {
    "console": gettext_noop("The console"),
    "importing": gettext_noop("Importing lists"),
    "lists": gettext_noop("Lists"),
    "do-not-call": gettext_noop("Do not call"),
    "calling-hours": gettext_noop("Calling hours"),
    "rules": gettext_noop("Rules of contact"),
    "campaign-check": gettext_noop("The check of a campaign"),
    "simulating": gettext_noop("Simulating"),
    "text-messages": gettext_noop("Text messages"),
    "sip-trunk": gettext_noop("SIP carriers"),
    "glossary": gettext_noop("Words"),
}
"""The pages for users, in order, by the names of their files."""
_NO_PAGES: Final = gettext_noop("This installation has no pages of help: they are in the folder docs of the sources.")
_NOT_OF_A_NAME: Final = re.compile(r"[^\w\- ]")


class HelpPage(NamedTuple):
    """A page of the documentation."""

    title: str
    html: str
    """Made from our own files: it has no HTML but what the reader of Markdown writes."""
    parts: Sequence[tuple[str, str]]
    """The names and titles of its parts."""


@get("/help", media_type="text/html")
async def show_contents(request: ApiRequest) -> Response[Any]:
    """Show which pages of help there are."""
    titles = await anyio.to_thread.run_sync(_titles)
    if not titles:
        raise RecordNotFoundError(_NO_PAGES)
    return page(request, "help.html", PLACE, titles=titles, name="", shown=None)


@get("/help/{name:str}", media_type="text/html")
async def show_help(request: ApiRequest, name: FromPath[str]) -> Response[Any]:
    """Show a page of the documentation."""
    if name not in TITLES:
        raise RecordNotFoundError("There is no such page.")
    shown = await anyio.to_thread.run_sync(help_page, name)
    return page(request, "help.html", PLACE, titles=TITLES, name=name, shown=shown)


@cache
def help_page(name: str) -> HelpPage:
    """Return a page of the documentation, which does not change while the service runs.

    Raises:
        RecordNotFoundError: this installation has no such file.
    """
    from markdown_it import MarkdownIt  # noqa: PLC0415 - few people ask for help

    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    tokens = reader.parse(_text_of(name))
    title = ""
    parts: list[tuple[str, str]] = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            words = tokens[place + 1].content
            heading = _plain(reader, words)
            token.attrSet("id", anchor_of(heading))
            title = title or heading
            parts += [(anchor_of(heading), heading)] if token.tag == "h2" else []
        elif token.type == "inline":
            token.children = _in_console(token.children or (), name)
    made = str(reader.renderer.render(tokens, reader.options, {}))
    made = made.replace("<pre>", '<pre tabindex="0">').replace("<table>", '<div class="scroll" tabindex="0"><table>')
    return HelpPage(title, made.replace("</table>", "</table></div>"), parts)


def anchor_of(heading: str) -> str:
    """Return the name of a heading in addresses, as on GitHub."""
    return _NOT_OF_A_NAME.sub("", heading.lower()).replace(" ", "-")


def address_of(target: str, name: str) -> str:
    """Return where a link of a page leads in the console; empty if what it names is not served."""
    if target.startswith(("https://", "http://")):
        return target
    path, _, anchor = target.partition("#")
    other = path.removesuffix(".md") if path else name
    return f"{HELP}{other}/{'#' if anchor else ''}{anchor}" if other in TITLES else ""


def _in_console(tokens: Sequence[Any], name: str) -> list[Any]:
    """Return the tokens of a line with their links as the console has them.

    Pictures, and links to what is not served, are left out.
    """
    kept, tags = [], []
    for token in tokens:
        if token.type == "link_open":
            address = address_of(str(token.attrGet("href") or ""), name)
            token.tag, token.attrs = ("a", {"href": address}) if address else ("span", {})
            tags.append(token.tag)
        elif token.type == "link_close":
            token.tag = tags.pop()
        if token.type != "image":
            kept.append(token)
    return kept


def _plain(reader: Any, words: str) -> str:  # noqa: ANN401 - a MarkdownIt, which is imported late
    """Return the words of a heading without its marks."""
    children = reader.parseInline(words)[0].children or ()
    return "".join(one.content for one in children if one.type in {"text", "code_inline"})


def _text_of(name: str) -> str:
    """Return the text of a page: from the package, or from the checkout of which it is a part."""
    path = _file_of(name)
    if path is None:
        raise RecordNotFoundError(_NO_PAGES)
    return path.read_text("utf-8")


def _file_of(name: str) -> Path | None:
    places = _PACKAGE / "help", _PACKAGE.parents[1] / "docs"
    return next((place / f"{name}.md" for place in places if (place / f"{name}.md").is_file()), None)


def _titles() -> dict[str, str]:
    """Return the pages that this installation has.

    The builder of packages takes files from beside the modules only, where setup/wheel.sh and images put these.
    """
    return {name: title for name, title in TITLES.items() if _file_of(name) is not None}
