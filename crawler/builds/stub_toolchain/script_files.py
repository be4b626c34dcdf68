"""Read the shell scripts that stand in for compilers and tools."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_SCRIPTS: Final = Path(__file__).parent / "scripts"


def read_script(name: str, **values: str) -> str:
    """Return the text of a script; `values` replace its placeholders such as `@release@`."""
    text = (_SCRIPTS / f"{name}.sh").read_text()
    for placeholder, value in values.items():
        text = text.replace(f"@{placeholder}@", value)

    return text


def write_program(path: Path, text: str) -> None:
    """Write an executable file."""
    path.write_text(text)
    path.chmod(0o755)
