from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.builds.setup_py.recorded_build import (
    _remove_covering_mounts,
    find_shelling_setups,
)
from crawler.checkout.include_graph import IncludeGraph
from crawler.sandbox import Mount

Plant = Callable[[dict[str, str]], IncludeGraph]


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("subprocess.check_call(['cmake', '..'])", True),
        ("os.system('make -j')", True),
        ("self.spawn(['nvcc', '-c', 'a.cu'])", True),
        ("import subprocess\nsubprocess.run(['git', 'describe'])", False),
        ("ext_modules=[CMakeExtension('x')]", False),
        ("os.system('echo makeshift')", False),
    ],
)
def test_a_setup_that_starts_builds_is_found(
    text: str, is_found: bool, plant: Plant
) -> None:
    setups = find_shelling_setups(plant({"setup.py": text}).tree)
    assert setups == (["setup.py"] if is_found else [])


def test_a_few_setups_of_the_projects_own_are_run(plant: Plant) -> None:
    text = "os.system('make')"
    files = {f"part{number}/setup.py": text for number in range(9)}
    files["third_party/other/setup.py"] = text
    setups = find_shelling_setups(plant(files).tree)
    assert len(setups) == 4
    assert not any(path.startswith("third_party/") for path in setups)


@pytest.mark.parametrize(
    "folder", ["/usr/local", "/usr/local/lib/python3", "/opt/venv"]
)
def test_our_own_python_is_not_covered(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = Mount(source=Path(folder), target=folder)
    monkeypatch.setattr(sandbox, "list_python_mounts", lambda: [python])
    local = Mount(source=Path("/stubs"), target="/usr/local")
    stubs = Mount(source=Path("/stubs"), target="/stubs")
    mounts = _remove_covering_mounts([local, stubs])
    is_python_local = folder.startswith("/usr/local")
    assert mounts == ([stubs] if is_python_local else [local, stubs])
