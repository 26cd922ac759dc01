"""The catalogues of the console: `python -m tests.console.translations update`.

- `update` writes all texts of the sources into each catalogue, and drops those that are gone.
- `missing de` prints the texts without a translation as JSON: the English text, and nothing or the forms of a plural.
- `fill de file.json` puts the translations of such a file into the catalogue.
- `check` prints what is missing or wrong in any catalogue.
"""

import ast
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from enum import Enum
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from dialer.console.serving.services import DESK, NAVIGATION
from dialer.console.words import catalogue
from dialer.console.words.field_hints import CHOICES, TIME_UNITS, UNITS, hint_of
from dialer.console.words.field_titles import title_of
from dialer.console.words.state_words import (
    PROTOCOL_WORDS,
    SOURCE_WORDS,
    TEXT_WORDS,
    WORDS,
    capitalised,
    english_words_of,
    word_of_choice,
)
from dialer.domain.words.enums import CampaignStatus, MessageStatus
from dialer.domain.words.languages import ENGLISH, LANGUAGES
from dialer.domain.words.reasons import Reason
from dialer.domain.words.roles import Role, Scope
from dialer.passwords import PasswordError, check_password
from dialer.resources.crud.fields import Choice, Kind, TextChoice
from dialer.resources.crud.shapes import fields_of
from dialer.resources.records.carriers import PARAMETER_FIELDS
from dialer.resources.records.surveys import SECTION_TEMPLATES
from dialer.resources.records.table import RESOURCES

SOURCES: Final = Path(__file__).parents[2] / "src" / "dialer"
FOLDER: Final = SOURCES / "console" / "translations"
TRANSLATED: Final = tuple(code for code in LANGUAGES if code != ENGLISH)
REGIONS: Final = {"pt": "pt_BR"}
_METHODS: Final = [("**.py", "python"), ("templates/**.html", "jinja2")]
_KEYWORDS: Final[dict[str, Any]] = {"_": None, "gettext": None, "gettext_noop": None, "ngettext": (1, 2)}
_OPTIONS: Final = {"templates/**.html": {"newstyle_gettext": "true", "trimmed": "true", "silent": "false"}}
_WITH_ERRORS: Final = (
    *("app/", "api/actions/", "console/", "domain/", "forecast/", "store/media/"),
    *("resources/crud/", "resources/records/", "api/http/auth.py", "api/answers/forms.py", "api/http/other_sites.py"),
)
"""Places whose errors the console shows."""
OF_PROGRAMS: Final = ("JSON parse error", "The body", "there is no user", "there is no API key", "There is no CDR")
"""The beginnings of messages that only a program, or somebody who changes an address by hand, can get."""
_SENTENCES: Final = frozenset({"Sentence", "counting_sentence", "template"})
BAD_PASSWORDS: Final = ("short", "password1234", "a line\nand another")
_TAGS: Final = re.compile(r"<[^>]*>")


@cache
def template() -> Catalog:
    """Return all texts of the console. They are read once in a process, and must not be changed."""
    texts = Catalog(project="dialer", charset="utf-8")
    found = extract_from_dir(SOURCES / "console", _METHODS, _OPTIONS, _KEYWORDS)
    for _file, _line, text, _comments, _context in found:
        texts.add(text)
    of_forms = (*texts_of_records(), *texts_of_forms())
    for shown in (*texts_of_tables(), *of_forms, *texts_of_errors(), *texts_of_passwords(), *texts_of_sentences()):
        key = shown[0] if isinstance(shown, tuple) else shown
        if key and key not in texts:
            texts.add(shown)
    return texts


def texts_of_tables() -> Iterator[str]:
    """Yield the texts that stand in tables: reasons, states, scopes, and pages of the navigation."""
    for reasons in Reason.__subclasses__():
        yield from (reason.meaning for reason in reasons)
    kinds: tuple[type[Enum], ...] = (*WORDS, MessageStatus, Role)
    for kind in kinds:
        yield from map(english_words_of, kind)
    yield from (status.meaning for status in CampaignStatus)
    yield from (*PROTOCOL_WORDS.values(), *SOURCE_WORDS.values(), *TEXT_WORDS.values())
    yield from (scope.value for scope in Scope)
    yield from (item.title for item in (DESK, *NAVIGATION))


def texts_of_records() -> Iterator[str]:
    """Yield the names of records and of their fields, the hints for these, and the words for their values."""
    by_path = {resource.path: resource for resource in RESOURCES}
    for path, page in catalogue.PAGES.items():
        yield from (page.title, page.one, page.about, page.add, page.empty, *(within.title for within in page.within))
        shapes = by_path[path].shapes
        written = [] if shapes.write is None else fields_of(shapes.write)
        for field in (*fields_of(shapes.read), *written):
            yield from _words_of_choices(field.kind)
        if path == SECTION_TEMPLATES.path:  # The form of a section is on the page of its survey, with its own words.
            yield from (title_of(path, name) for name in page.columns)
            continue
        yield from (title_of(path, field.name) for field in (*fields_of(shapes.read), *written))
        yield from (hint_of(path, field) for field in written)


def _words_of_choices(kind: Kind) -> Iterator[str]:
    if isinstance(kind, Choice):
        yield from map(english_words_of, kind.values)
    elif isinstance(kind, TextChoice):
        yield from (word_of_choice(choice) for choice in kind.values if choice not in LANGUAGES)


def texts_of_forms() -> Iterator[str]:
    """Yield the texts that stand in tables of forms: headings, words for choices, units, and parameters of carriers."""
    for form in (resource.shapes.form for resource in RESOURCES):
        yield from (group.title for group in (*form.groups, *form.more))
    for words in (*CHOICES.values(), UNITS):
        yield from words.values()
    yield from (word for _, word in TIME_UNITS)
    for field in chain.from_iterable(PARAMETER_FIELDS.values()):
        yield from (field.title, field.description, field.unit)
        yield from (word for value, word in field.choices if word != value)


def texts_of_errors() -> Iterator[str]:
    """Yield the messages without values of errors that a form can get, and of fields."""
    trees = {file: ast.parse(file.read_text("utf-8")) for file in sorted(SOURCES.rglob("*.py"))}
    constants = _assigned(node for tree in trees.values() for node in tree.body)
    for file, tree in trees.items():
        if file.relative_to(SOURCES).as_posix().startswith(_WITH_ERRORS):
            known = {**constants, **_assigned(ast.walk(tree))}
            for node in ast.walk(tree):
                yield from _messages_in(node, known)


def _assigned(nodes: Iterable[ast.AST]) -> dict[str, set[str]]:
    """Return the texts that are assigned to each name."""
    found: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and isinstance(node.value.value, str):
                    found.setdefault(target.id, set()).add(node.value.value)
    return found


def texts_of_sentences() -> Iterator[str | tuple[str, str]]:
    """Yield the templates of sentences, with their plurals."""
    for source in (file.read_text("utf-8") for file in sorted(SOURCES.rglob("*.py"))):
        for node in ast.walk(ast.parse(source)) if any(name in source for name in _SENTENCES) else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SENTENCES:
                texts = [str(value.value) for value in node.args if isinstance(value, ast.Constant)]
                if node.func.id == "counting_sentence":
                    yield texts[0], texts[1]
                else:
                    yield from texts[:1]


def texts_of_passwords() -> Iterator[str]:
    """Yield why passwords are refused: the messages for some bad ones."""
    for bad in BAD_PASSWORDS:
        try:
            check_password(bad)
        except PasswordError as error:
            yield capitalised(f"{error}.")


def _messages_in(node: ast.AST, known: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield the texts of a call of an error, or of a mapping with errors by field; `known` are the texts of names."""
    values: list[ast.expr] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
        values = node.args
    elif isinstance(node, ast.Dict):
        values = [value for member in node.values if isinstance(member, ast.List) for value in member.elts]
    for value in values:
        for part in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
            texts = known.get(part.id, ()) if isinstance(part, ast.Name) else ()
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                texts = (part.value,)
            yield from (text for text in texts if _is_message(text))


def _is_message(text: str) -> bool:
    return " " in text and not text.startswith(OF_PROGRAMS)


def read(language: str) -> Catalog:
    """Return the catalogue of a language."""
    path = FOLDER / f"{language}.po"
    if not path.exists():  # A new language.
        return Catalog(locale=REGIONS.get(language, language))
    with path.open("rb") as file:
        return read_po(file, locale=REGIONS.get(language, language))


def write(language: str, texts: Catalog) -> None:
    """Write the catalogue of a language: sorted, without dates and places, so that a change shows what it changes."""
    lines = io.BytesIO()
    write_po(lines, texts, width=0, no_location=True, omit_header=True, sort_output=True, ignore_obsolete=True)
    header = f'msgid ""\nmsgstr ""\n"Language: {texts.locale_identifier}\\n"\n"Plural-Forms: {texts.plural_forms}\\n"\n'
    (FOLDER / f"{language}.po").write_text(f"{header}\n{lines.getvalue().decode()}", "utf-8")


def update() -> None:
    """Write all texts of the sources into each catalogue."""
    texts = template()
    for language in TRANSLATED:
        known = read(language)
        known.update(texts, no_fuzzy_matching=True)
        write(language, known)


def missing(language: str) -> dict[str, str | list[str]]:
    """Return the texts without a translation: nothing, or the English forms of a plural, by the English text."""
    known = read(language)
    return {
        _key(message): "" if isinstance(message.id, str) else list(message.id)
        for message in template()
        if message.id and not _is_translated(known.get(_key(message)))
    }


def fill(language: str, translations: dict[str, str | list[str]]) -> None:
    """Put translations into the catalogue of a language."""
    known = read(language)
    known.update(deepcopy(template()), no_fuzzy_matching=True)
    for text, translation in translations.items():
        message = known.get(text)
        if message is None:
            print(f"no text of the console: {text!r}", file=sys.stderr)  # noqa: T201 - for the translator
            continue
        forms = [translation] if isinstance(translation, str) else translation
        message.string = forms[0] if isinstance(message.id, str) else tuple(forms)
        message.flags.discard("fuzzy")
    write(language, known)


def problems(language: str) -> list[str]:
    """Return what is missing or wrong in the catalogue of a language."""
    known, texts = read(language), template()
    wanted = {_key(message) for message in texts if message.id}
    found = [f"missing: {key}" for key in missing(language)]
    for message in known:
        if not message.id or not _is_translated(message):
            continue
        if _key(message) not in wanted:
            found.append(f"of no text: {_key(message)}")
        if message.fuzzy:
            found.append(f"fuzzy: {_key(message)}")
        found += [f"{_key(message)}: {error}" for error in message.check(known)]
        originals = message.id if isinstance(message.id, (list, tuple)) else [message.id]
        forms = message.string if isinstance(message.string, (list, tuple)) else [message.string]
        tags = Counter(_TAGS.findall(originals[-1]))
        found += [f"other tags: {form}" for form in forms if Counter(_TAGS.findall(form or "")) != tags]
    return found


def _key(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _is_translated(message: Message | None) -> bool:
    if message is None or not message.string:
        return False
    return all(message.string) if isinstance(message.string, (list, tuple)) else True


def main(command: str, *arguments: str) -> None:
    """Run a command."""
    if command == "update":
        update()
    elif command == "missing":
        print(json.dumps(missing(*arguments), ensure_ascii=False, indent=1))  # noqa: T201 - its result
    elif command == "fill":
        language, path = arguments
        fill(language, json.loads(Path(path).read_text("utf-8")))
    elif command == "check":
        lines = [f"{language}: {problem}" for language in TRANSLATED for problem in problems(language)]
        sys.exit("\n".join(lines) or None)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*(sys.argv[1:] or [""]))
