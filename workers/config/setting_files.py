"""Settings read from files, such as container secrets: `KERNELSET_NAME_FILE` names the file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crawler.errors import Misconfigured

_MAX_CHARACTERS: Final = 1 << 20
"""What is read of one file: a secret is short, but a wrong path may name a device or a log."""


def file_variable(name: str) -> str:
    """Return the variable that names the file of the setting `name`."""
    return f"KERNELSET_{name.upper()}_FILE"


def read_setting_files(names: Iterable[str]) -> dict[str, str]:
    """Return the settings among `names` whose files the environment names.

    Raises `Misconfigured` where a file cannot be read.
    """
    values: dict[str, str] = {}
    for name in names:
        variable = file_variable(name)
        path = os.environ.get(variable)
        if path:
            values[name] = _read_value(variable, path)
    return values


def _read_value(variable: str, path: str) -> str:
    try:
        with Path(path).expanduser().open(encoding="utf-8") as file:
            text = file.read(_MAX_CHARACTERS)
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"{variable} names {path}, which cannot be read ({error}): mend or unset it"
        ) from error

    # editors and `echo` end a file with a newline, which belongs to no secret
    return text.strip()
