"""Texts that bring a code to a telephone, which is to be read there and nowhere else."""

from typing import Final

import msgspec

from dialer.domain.messages.templates import fill

CODE_DIGITS: Final = 6
CODE_NAME: Final = "\N{WORD JOINER}confirmation code"
"""The placeholder of the code. Where a template of a test has it, its text is shown without the code.

Its first character cannot be seen or typed, so no column of a list is taken for it.
"""
CODE_PLACE: Final = f"{{{CODE_NAME}}}"
_HIDDEN: Final = "\N{BULLET}" * CODE_DIGITS


def code_variables(code: str, *, is_spoken: bool) -> str:
    """Return the variables (JSON text of an object) that fill a code in. A spoken one has pauses between its digits."""
    return msgspec.json.encode({CODE_NAME: ", ".join(code) if is_spoken else code}).decode()


def shown_text(template: str, text: str) -> str:
    """Return a text that was made from a template as people may see it: without the code that it brings."""
    return fill(template, "", code_variables(_HIDDEN, is_spoken=False)) if CODE_PLACE in template else text
