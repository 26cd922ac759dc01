"""Descriptions and examples of the settings of sections, for the OpenAPI document."""

from collections.abc import Mapping
from typing import Any, Final

WORDS: Final[Mapping[str, tuple[str, Any]]] = {
    "script": (
        (
            "The text that the callee hears, unless `audiofile` is set. `{first_name}`, `{full_name}` and variables of"
            " the contact are replaced. Default: empty."
        ),
        "Hello {first_name}, press one if you come.",
    ),
    "audiofile": ("The recording that the callee hears instead of `script`. Null: `script`.", None),
    "completed": (
        (
            "True if a subscriber whose call reaches the section has completed the survey, with status 8. Of a transfer"
            " (type 6): once somebody has taken the call."
        ),
        False,
    ),
    "retries": (
        "How often a section that asks (types 2, 3 and 4) is repeated after a wrong input, or none. Null: never.",
        2,
    ),
    "timeout": (
        (
            "Seconds without a key after which an input ends (types 2, 3 and 4). For a transfer (type 6), the time in"
            " which `confirm_key` must be pressed. 0 counts as 1."
        ),
        5,
    ),
    **{
        f"key_{digit}": (
            (
                f"The answer that the key {digit} stands for in a choice (type 2). Results show it."
                " Null or empty: the key is not offered."
            ),
            example,
        )
        for digit, example in enumerate(
            ("operator", "yes", "no", "maybe", "later", "repeat", "in German", "in French", "in Spanish", "stop")
        )
    },
    "rating_laps": ("The best rating (type 3). The lowest is 1.", 5),
    "validate_number": (
        (
            "True to accept only numbers from `min_number` to `max_number` (type 4). False: any digits."
            " The default range, 0 to 99, refuses nothing, however many digits are asked for."
        ),
        True,
    ),
    "number_digits": ("The most digits of an input (type 4). `#` ends a shorter one.", 2),
    "min_number": ("The lowest number that is accepted (type 4), if `validate_number` is true.", 0),
    "max_number": (
        "The highest number that is accepted (type 4), if `validate_number` is true. At least `min_number`.",
        99,
    ),
    "phonenumber": (
        "The number to which the call is transferred (type 6), if `queue` is null. Null: none.",
        "+12025550150",
    ),
    "confirm_script": (
        (
            "The text that the person at `phonenumber` hears before the transfer, if `confirm_key` is set. Agents of"
            " `queue` hear it over gateways that are not simulated. Null: none."
        ),
        "A customer waits for you. Press one to take the call.",
    ),
    "confirm_key": (
        (
            "The key, 0 to 9, `*` or `#`, with which the person who hears `confirm_script` must accept the call."
            " Null: none needed."
        ),
        "1",
    ),
    "queue": ("The queue to which the call is transferred (type 6). Null: `phonenumber`.", None),
    "conference": (
        "The name of the conference room (type 8). Null: a room named after the campaign's id.",
        "briefing",
    ),
    "sms_text": (
        "The text message that is sent to the callee (type 10), with variables as in `script`. Null: none.",
        "Thank you, {first_name}. We expect you on Monday.",
    ),
    "invalid_audiofile": (
        "The recording that the callee hears after a wrong input, before the section is played again. Null: none.",
        None,
    ),
}
"""The description of each setting, and an example; references have the usual one."""
