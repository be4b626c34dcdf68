"""From nothing to a first exported row for a user who is not root, whose home and environment are
empty: what the pages say to type installs Kernelset from the registry, and runs it.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.acceptance.newcomers.page_lines import (
    ROOT,
    read_lines,
    read_records,
    write_project,
)

pytestmark = pytest.mark.apt("setpriv", "make", "npm")
_USER = 43210
"""Nobody on the machine has this id, so nothing belongs to it but its own home."""
_MAX_PROCESSOR_SECONDS = 600
"""Ten minutes of one core: how long it takes by the clock, other work on the machine decides."""
_PROJECT = "../my/project"


def as_user(words: Sequence[str]) -> list[str]:
    """Return the command that runs words as the user; whoever runs the tests may be one."""
    if os.geteuid() != 0:
        return list(words)
    ids = ("--reuid", str(_USER), "--regid", str(_USER))
    return ["setpriv", *ids, "--clear-groups", "--", *words]


@pytest.fixture
def home() -> Iterator[Path]:
    """Give a home with a checkout and a project, and nothing else."""
    if subprocess.run(as_user(["unshare", "-Ur", "true"]), check=False).returncode:
        pytest.skip("no ordinary user may make a namespace here")

    # not below the folder of pytest, which no other user may enter
    with tempfile.TemporaryDirectory(prefix="newcomer") as name:
        folder = Path(name)
        _copy_checkout(folder / "kernelset")
        write_project(folder / "my/project")
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{_USER}:{_USER}", folder], check=True)
        yield folder


def _copy_checkout(folder: Path) -> None:
    """Copy what git has of the checkout, and none of what was built in it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def run_lines(lines: Sequence[str], home: Path) -> str:
    """Run lines as the user's shell does, whose environment is empty."""
    completed = subprocess.run(
        as_user(["bash", "-e", "-c", "\n".join(lines)]),
        cwd=home / "kernelset",
        env={
            "HOME": str(home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, f"{lines}\n{completed.stdout}\n{completed.stderr}"
    return completed.stdout


def measure_processor() -> float:
    """Return the seconds that all ended children took of a processor."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


INSTALLATIONS = {
    "from a checkout": (read_lines("README.md", "## Install", {}), ".venv/bin/"),
    "as a package": (
        [
            "python3 -m venv ../environment",
            ". ../environment/bin/activate",
            *(
                line
                for line in read_lines("docs/first-crawl.md", "## Before it", {})
                if line == "pip install ."
            ),
        ],
        "",
    ),
}


@pytest.mark.timeout(1500)
@pytest.mark.parametrize("installation", INSTALLATIONS)
def test_a_user_without_root_gets_to_a_first_exported_row(
    installation: str, home: Path
) -> None:
    installing, programs = INSTALLATIONS[installation]
    exchange = {
        ".venv/bin/kernelset": f"{programs}kernelset",
        "pypi:torch_scatter==2.1.2": _PROJECT,
    }
    using = read_lines("README.md", "## Quick start", exchange)
    before = measure_processor()

    printed = run_lines([*installing, f"{programs}kernelset doctor", *using], home)

    assert measure_processor() - before < _MAX_PROCESSOR_SECONDS
    assert re.search(r"^ok +sandbox +bubblewrap isolates", printed, re.MULTILINE)
    assert re.search(r"^compiled for gfx90a +1 of 1 \(pass 1\)$", printed, re.MULTILINE)
    names = {record.get("name") for record in read_records(home / "kernelset/dataset")}
    assert "gather_rows" in names
    assert (home / ".kernelset/kernelset.db").is_file()
