"""Read settings from files: `kernelset.toml`, and secrets that `KERNELSET_NAME_FILE` names."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

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


def read_toml(path: Path) -> dict[str, Any]:
    """Return the settings of a `kernelset.toml`; raises `Misconfigured` where it is none."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise Misconfigured(
            f"{path} cannot be read ({error}): mend or remove it"
        ) from error


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
