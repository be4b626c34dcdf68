"""Settings read from files, such as container secrets: `KERNELSET_NAME_FILE` names the file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crawler.errors import Misconfigured

_MOST: Final = 1 << 20


def file_variable(name: str) -> str:
    """Return the variable that names the file of the setting `name`."""
    return f"KERNELSET_{name.upper()}_FILE"


def read_setting_files(names: Iterable[str]) -> dict[str, str]:
    """Return the settings among `names` whose files the environment names; raises
    `Misconfigured`.
    """
    return {
        name: _content(file_variable(name), os.environ[file_variable(name)])
        for name in names
        if os.environ.get(file_variable(name))
    }


def _content(asked_by: str, path: str) -> str:
    try:
        with Path(path).expanduser().open(encoding="utf-8") as file:
            text = file.read(_MOST)
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"{asked_by} names {path}, which cannot be read ({error}): mend or unset it"
        ) from error
    return text.strip()
