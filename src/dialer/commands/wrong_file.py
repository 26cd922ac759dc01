"""The error of commands that read files of records."""

import rich_click as click

from dialer.files.nodes import FileError


class WrongFileError(click.ClickException):
    """A file is wrong: exit code 2, without a hint at the options."""

    exit_code = 2

    def __init__(self, error: FileError) -> None:
        super().__init__(str(error))
