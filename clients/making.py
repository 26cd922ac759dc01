"""The making of the clients: generated code from the OpenAPI document, beside the parts that are kept here.

Generated code is not kept: it is 5 MB, comes again from the document in some seconds, and would change with most
changes of the API.
"""

import json
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PYTHON: Final = ROOT / "clients" / "python"
TYPESCRIPT: Final = ROOT / "clients" / "typescript"
NODE_MODULES: Final = TYPESCRIPT / "node_modules"
PACKAGE: Final = "dialer_client"
EVENT: Final = "application/cloudevents+json"
STEP_S_MAX: Final = 300
SHARED: Final = ROOT / "src" / "dialer" / "webhooks" / "server_sent.py"
"""The reader of streams, which needs nothing else of the service."""
TYPES: Final = ("--enum", "--default-non-nullable=false")
"""Options of openapi-typescript: enumerations with names, and requests that may leave out fields with a default."""
_LIST_OF_MODELS: Final = re.compile(r"isinstance\((\w+), list\[\w+\]\)")
"""The test of a body that the generator writes for an operation with several media types: Python refuses it."""
_TEXT: Final = re.compile(r"\bbody\.payload\b")
"""The content that the generator writes for a body which is a text, such as CSV: a text has no payload."""
_NOT_KEPT: Final = shutil.ignore_patterns("node_modules", "__pycache__")


class MakingError(Exception):
    """Raised when a generator, a compiler or a packer fails; the message is what it said."""


def run(folder: Path, *command: str) -> str:
    """Run a program in a folder, and return its output.

    Raises:
        MakingError: it fails.
    """
    done = subprocess.run(  # noqa: S603 - programs of the lock files
        command, cwd=folder, capture_output=True, text=True, timeout=STEP_S_MAX, check=False
    )
    if done.returncode:
        raise MakingError(f"{' '.join(command)}\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def document(folder: Path) -> Path:
    """Write the OpenAPI document into a folder, and return its path."""
    path = folder / "openapi.json"
    path.write_text(run(folder, sys.executable, "-c", "from dialer.cli import main; main()", "openapi"), "utf-8")
    return path


def python_client(described: Path, folder: Path) -> Path:
    """Make the client in Python from the document in a new folder, and return its wheel."""
    sources = _copied(PYTHON, folder)
    generated, package = folder / "generated", sources / "src" / PACKAGE
    generate = "from openapi_python_client.cli import app; app()"
    files = ["--path", str(described), "--config", str(sources / "generator.json")]
    target = ["--meta", "none", "--output-path", str(generated), "--fail-on-warning"]
    run(folder, sys.executable, "-c", generate, "generate", *files, *target)
    for found in generated.iterdir():
        if not (package / found.name).exists():  # The package's own __init__ stays.
            shutil.move(found, package / found.name)
    shutil.rmtree(generated)
    _mend_bodies(package)
    shutil.copy(SHARED, package)
    (package / "event_types.py").write_text(_event_types(json.loads(described.read_text("utf-8"))), "utf-8")
    (package / "py.typed").touch()
    run(sources, str(Path(sys.executable).with_name("uv")), "build", "--wheel", "--offline", "--out-dir", str(folder))
    return next(folder.glob("*.whl"))


def _mend_bodies(package: Path) -> None:
    """Let operations send bodies that the generator writes wrongly: lists beside another media type, and texts."""
    for operation in package.glob("api/*/*.py"):
        text = operation.read_text("utf-8")
        operation.write_text(_TEXT.sub("body", _LIST_OF_MODELS.sub(r"isinstance(\1, list)", text)), "utf-8")


def _event_types(document: dict[str, Any]) -> str:
    """Return the module that has the classes of events by their types: generators of clients leave webhooks out."""
    posted = {kind: item["post"]["requestBody"]["content"] for kind, item in document["webhooks"].items()}
    names = {kind: content[EVENT]["schema"]["$ref"].rpartition("/")[2] for kind, content in posted.items()}
    union = "".join(f"    | models.{name}\n" for name in names.values())
    table = "".join(f'    "{kind}": models.{name},\n' for kind, name in names.items())
    return f'''"""The types of events, from the OpenAPI document."""

from typing import Any, Final, TypeAlias

from dialer_client import models

Event: TypeAlias = (
    models.EventRead
{union})
"""An event of any type. `EventRead` is one of a type that is younger than this client."""
EVENTS: Final[dict[str, type[Any]]] = {{
{table}}}
"""The classes of events by their types."""
'''


def typescript_client(described: Path, folder: Path) -> Path:
    """Make the client in TypeScript from the document in a new folder, and return its archive.

    The packages of `package-lock.json` are installed already.
    """
    sources = _copied(TYPESCRIPT, folder)
    (sources / "node_modules").symlink_to(NODE_MODULES, target_is_directory=True)
    programs = NODE_MODULES / ".bin"
    run(sources, str(programs / "openapi-typescript"), str(described), "--output", "src/schema.ts", *TYPES)
    run(sources, str(programs / "tsc"))
    packed = run(sources, "npm", "pack", "--ignore-scripts", "--json", "--pack-destination", str(folder))
    (archive,) = json.loads(packed)
    return folder / str(archive["filename"])


def unpacked(archive: Path, folder: Path) -> Path:
    """Unpack an archive of npm into a folder, and return its package."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / "package"


def _copied(kept: Path, folder: Path) -> Path:
    """Copy the parts that are kept, and the licence, into a new folder, and return that."""
    shutil.rmtree(folder, ignore_errors=True)
    sources = shutil.copytree(kept, folder / "sources", ignore=_NOT_KEPT)
    shutil.copy(ROOT / "LICENSE", sources)
    return sources
