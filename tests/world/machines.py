"""Answering machines: the lengths by which a greeting is a machine's, and the limits beside them."""

from collections.abc import Iterator

from dialer.carriers.media import answering_machine, beeps
from tests.world.short_texts import digest


def limits() -> Iterator[str]:
    """Yield a row for each sensitivity, in milliseconds."""
    for sensitivity, one in answering_machine.LIMITS.items():
        yield f"| {sensitivity.name.lower()} | {one.machine} | {one.short} | {one.short_pause} | {one.pause} |"


def modules() -> Iterator[str]:
    """Yield a row for each module that decides: how many limits it has, and a digest of them."""
    for module, decides in ((answering_machine, "person or machine"), (beeps, "the beep after a greeting")):
        name = module.__name__.removeprefix("dialer.").replace(".", "/")
        numbers = [f"{of} {value}" for of, value in sorted(vars(module).items()) if isinstance(value, int | float)]
        yield f"| `{name}.py` | {decides} | {len(numbers)} | {digest(' '.join(numbers))} |"
