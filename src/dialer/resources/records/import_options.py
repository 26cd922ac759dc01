"""The options of imports, as texts of a request or of a file of records."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from dialer.app.imports.charsets import CHARSETS
from dialer.app.imports.column_roles import NO_ROLES
from dialer.app.imports.columns import FIELD, ColumnNames, parse_columns
from dialer.app.imports.csv_records import TableForm
from dialer.app.imports.headers import DELIMITERS
from dialer.app.imports.imports import ImportOptions
from dialer.app.work.errors import InvalidFieldsError
from dialer.domain.numbers.destinations import read_region
from dialer.domain.words.sentences import message_of
from dialer.resources.crud.fields import Boolean, Conventions, FieldError
from dialer.resources.words.errors import AnsweredError, Errors

CHARSET: Final = "charset"
SEPARATOR: Final = "separator"
HEADER: Final = "header"
SHEET: Final = "sheet"
REGION: Final = "region"
HIDDEN: Final = "hidden"
MEND_ZEROS: Final = "mend_zeros"
OPTION_NAMES: Final = (FIELD, CHARSET, SEPARATOR, HEADER, SHEET, REGION, HIDDEN, MEND_ZEROS)
SEPARATORS: Final = dict(zip(("comma", "semicolon", "tab", "bar"), DELIMITERS, strict=True))
SHOWN_MAX: Final = 64
"""Characters of a wrong value that an error repeats."""


def read_import_options(
    given: Mapping[str, str], conventions: Conventions, errors: Errors, content_type_charset: str | None = None
) -> ImportOptions:
    """Return the options that are given. Add an error for each wrong one.

    Raises:
        AnsweredError: the content type names an unknown charset (415).
    """
    has_header = read_flag(HEADER, given.get(HEADER), conventions, errors, default=True)
    form = TableForm(
        charset=_charset(given.get(CHARSET), content_type_charset, errors),
        delimiter=_separator(given.get(SEPARATOR), errors),
        header_line=None if has_header else 0,
        sheet=given.get(SHEET) or None,
        hidden_rows=read_flag(HIDDEN, given[HIDDEN], conventions, errors, default=False) if HIDDEN in given else None,
    )
    columns = _columns(given.get(FIELD, ""), errors)
    region = _region(given.get(REGION), errors)
    mends = read_flag(MEND_ZEROS, given.get(MEND_ZEROS), conventions, errors, default=False)
    return ImportOptions(columns=columns.renamed, roles=columns.roles, form=form, region=region, mends_zeros=mends)


def read_flag(name: str, given: str | None, conventions: Conventions, errors: Errors, *, default: bool) -> bool:
    """Return an option that is true or false; add an error if it is neither."""
    try:
        return default if given is None else bool(Boolean().parse(given, conventions))
    except FieldError as error:
        errors[name] = [message_of(error)]
        return default


def _columns(text: str, errors: Errors) -> ColumnNames:
    try:
        return parse_columns(text)
    except InvalidFieldsError as error:
        errors.update(error.errors)
        return ColumnNames({}, NO_ROLES)


def _charset(given: str | None, said: str | None, errors: Errors) -> str | None:
    """Return the charset of the query, else that of the content type; None if neither names one."""
    if not given and not said:
        return None
    charset = (given or said or "").strip().lower()
    if charset in CHARSETS:
        return charset
    detail = f"{charset[:SHOWN_MAX]!r} is not a known charset. Use one of {', '.join(CHARSETS)}."
    if given is None:
        raise AnsweredError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, detail)
    errors[CHARSET] = [detail]
    return None


def _separator(given: str | None, errors: Errors) -> str | None:
    """Return the delimiter that the query names, or is itself."""
    if not given or given in DELIMITERS:
        return given or None
    if given not in SEPARATORS:
        errors[SEPARATOR] = [f"{given[:SHOWN_MAX]!r} is not a separator. Use one of {', '.join(SEPARATORS)}."]
    return SEPARATORS.get(given)


def _region(given: str | None, errors: Errors) -> str | None:
    if not given:
        return None
    try:
        return read_region(given)
    except ValueError as error:
        errors[REGION] = [message_of(error)]
        return None
