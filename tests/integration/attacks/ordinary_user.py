"""A Python that an ordinary user may start, where the tests run as root."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from crawler import process

_ENTERED_BY_ALL = 0o001
_SYSTEM_PYTHON = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
ROOT = Path(__file__).resolve().parents[3]


def as_ordinary_user(folder: Path, *words: str) -> tuple[list[str], dict[str, str]]:
    """Return the command that gives Python these words as another user, and its environment."""
    packages = Path(sysconfig.get_paths()["purelib"])
    interpreter = Path(sys.executable)
    if not _may_all_enter(Path(sys.base_prefix)):
        interpreter = _make_interpreter(folder / "python", packages)
    for path in (interpreter, packages, ROOT):
        if not _may_all_enter(path):
            pytest.skip(f"no other user may enter {path}")

    user = ("setpriv", "--reuid", "4321", "--regid", "4321", "--clear-groups", "--")
    environment = {
        "PYTHONPATH": str(ROOT),
        "PATH": "/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return [*user, str(interpreter), *words], environment


def _make_interpreter(folder: Path, packages: Path) -> Path:
    """Return a Python of the system, in an environment that has our own packages."""
    if not Path(_SYSTEM_PYTHON).exists():
        pytest.skip(f"there is no {_SYSTEM_PYTHON} for another user")
    ended = process.run([_SYSTEM_PYTHON, "-m", "venv", "--without-pip", str(folder)])
    assert ended.exit_code == 0, ended.text
    (own_packages,) = folder.glob("lib/*/site-packages")
    (own_packages / "shared.pth").write_text(f"{packages}\n")
    return folder / "bin/python"


def _may_all_enter(path: Path) -> bool:
    parents = path.resolve().parents
    return all(parent.stat().st_mode & _ENTERED_BY_ALL for parent in parents)
