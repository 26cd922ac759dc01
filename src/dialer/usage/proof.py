"""`dialer proof`: archives that prove campaigns."""

from pathlib import Path
from typing import Final

import rich_click as click

from dialer.commands.output import examples
from dialer.usage.running import runs

_PLACE: Final = "dialer.commands.proof"
_MAKE: Final = "make"


class _Proof(click.RichGroup):
    """Commands of which one is meant if none is named: what follows is then its campaign."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, else that which makes an archive."""
        named = bool(args) and args[0] in self.commands
        return super().resolve_command(ctx, args if named else [_MAKE, *args])


@click.group(cls=_Proof)
@examples("dialer proof 5 --out spring.zip", "dialer proof verify spring.zip")
def proof() -> None:
    """Make an archive that proves a campaign, and check one.

    `dialer proof CAMPAIGN` is short for `dialer proof make CAMPAIGN`.
    """


@proof.command(_MAKE)
@click.argument("campaign", metavar="CAMPAIGN")
@click.option(
    "--out",
    "-o",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The ZIP file that is written.",
)
@examples("dialer proof 5 --out spring.zip", "dialer proof make spring-2027 --out spring.zip")
@runs(_PLACE)
def make() -> None:
    """Write all that proves the campaign CAMPAIGN, an id or a code, into the ZIP file FILE.

    It has the campaign with its survey, the hashes of its recordings, its calls and texts, the rules and what they
    decided, consents, wishes, transfers, and the entries of the audit log. The command can run beside a server. The
    audit log notes the SHA-256 of the manifest, which is printed.
    """


@proof.command()
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@examples("dialer proof verify spring.zip")
@runs(_PLACE)
def verify() -> None:
    """Check each byte of the archive FILE, without a database.

    Everything that is changed, missing or added is named, with its line; the exit code is 1 then. An archive that
    was made anew as a whole is found by the SHA-256 of its manifest only, which the audit log of the service has.
    """
