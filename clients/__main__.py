"""`make clients`: both clients, ready to be published, in build/clients."""

import sys
from typing import Final

from clients.making import ROOT, MakingError, document, python_client, typescript_client

TARGET: Final = ROOT / "build" / "clients"


def main() -> None:
    """Make both clients, and print where they are."""
    TARGET.mkdir(parents=True, exist_ok=True)
    try:
        described = document(TARGET)
        made = [python_client(described, TARGET / "python"), typescript_client(described, TARGET / "typescript")]
    except MakingError as error:
        sys.exit(f"make: {error}")
    for path in made:
        print(path.relative_to(ROOT))  # noqa: T201 - what is made


main()
