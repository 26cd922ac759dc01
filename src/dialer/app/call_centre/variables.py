"""The variables of a person, as rows have them."""

import json
from typing import Any


def variables_of(text: str) -> dict[str, Any]:
    """Return variables by their names; none if they are not readable."""
    try:
        variables = json.loads(text or "{}")
    except ValueError:
        return {}
    return variables if isinstance(variables, dict) else {}
