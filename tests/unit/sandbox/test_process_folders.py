"""What a killed process leaves among temporary files goes; what others have there stays."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from crawler.sandbox import process_folders
from crawler.sandbox.process_folders import make_prefix, remove_dead_folders
from crawler.sandbox.work_folder import open_work_folder

PROGRAM = """
import sys
from contextlib import ExitStack
from pathlib import Path
from crawler.sandbox.mounts import Mount, ensure_readable
with ExitStack() as resources:
    mount = Mount(source=Path(sys.argv[1]), target="/seen")
    print(ensure_readable(mount, resources).source, flush=True)
    input()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    process_folders.remove_sometimes.cache_clear()
    return folder


def test_a_killed_process_leaves_a_copy_that_the_next_one_removes(
    tmp_path: Path, temporary: Path
) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    (private / "file").write_text("x")
    argv = [sys.executable, "-c", PROGRAM, str(private)]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout
        copy = Path(child.stdout.readline().strip())
        assert (copy / "file").read_text() == "x"

        process_folders.remove_sometimes.cache_clear()
        with open_work_folder("test"):
            assert (copy / "file").exists(), "its process is alive"

        child.kill()
        child.wait()
        assert copy.exists()
        process_folders.remove_sometimes.cache_clear()
        with open_work_folder("test") as work:
            assert list(temporary.iterdir()) == [work]


def name_dead_folder(purpose: str = "readable") -> str:
    """Return the name of a folder of a process that had our number before us."""
    parts = make_prefix(purpose).split("-")
    parts[4] = f"{int(parts[4]) - 1:014}"
    return "-".join(parts) + "abcd_123"


def test_what_is_no_folder_of_a_dead_process_of_ours_stays(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = temporary / f"{make_prefix('readable')}abcd"
    dead = name_dead_folder()
    machine = dead.split("-")[2]
    strange = temporary / dead.replace(machine, "00000000")
    target = tmp_path / "target"
    link = temporary / name_dead_folder("link")
    file = temporary / name_dead_folder("file")
    other_folder = temporary / "kernelset-readable-abcd"
    for folder in (own, strange, target, other_folder):
        folder.mkdir()
    link.symlink_to(target)
    file.write_text("x")
    assert remove_dead_folders(temporary) == 0
    assert target.exists()

    (temporary / dead).mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert remove_dead_folders(temporary) == 0
    monkeypatch.undo()
    assert remove_dead_folders(temporary) == 1
    assert set(temporary.iterdir()) == {own, strange, link, file, other_folder}


def test_few_are_removed_at_once_and_no_folder_is_no_fault(temporary: Path) -> None:
    name = name_dead_folder()
    for number in range(110):
        (temporary / f"{name}{number}").mkdir()
    assert remove_dead_folders(temporary) == 100
    assert remove_dead_folders(temporary) == 10
    assert remove_dead_folders(temporary / "absent") == 0


def test_every_name_has_one_length() -> None:
    assert len(make_prefix("run")) == len("kernelset-run-") + 8 + 7 + 14 + 3


def test_every_folder_that_outlives_a_call_says_whose_it_is() -> None:
    """One named by hand stays for ever when its process is killed."""
    root = Path(process_folders.__file__).parents[2]
    named_by_hand = [
        str(path.relative_to(root))
        for package in ("crawler", "storage", "workers")
        for path in (root / package).rglob("*.py")
        if re.search(
            r'(mkdtemp|TemporaryDirectory)\(prefix="kernelset-', path.read_text()
        )
    ]
    # that of a cache is for one process where nobody may share one, beside which it is nothing
    assert named_by_hand == ["crawler/cache.py"]


KILLED = {
    "parse": "from crawler.extract.clang.precompiled_preludes import scratch_folder\nscratch_folder()",
    "build": (
        "from crawler.builds.database import strategy_outcomes\n"
        "from crawler.checkout.source_tree import open_tree\n"
        "class Plugin:\n"
        "    name, executes = 'killed', False\n"
        "    def find_commands(self, tree, scratch): os.kill(os.getpid(), 9)\n"
        "strategy_outcomes._run_build_system(Plugin(), None)"
    ),
}


@pytest.mark.parametrize("purpose", sorted(KILLED))
def test_what_a_killed_worker_made_goes_with_the_next_run(
    purpose: str, temporary: Path
) -> None:
    program = f"import os\n{KILLED[purpose]}\nos.kill(os.getpid(), 9)"
    ended = subprocess.run([sys.executable, "-c", program], check=False)
    assert ended.returncode == -9
    (remaining_folder,) = temporary.iterdir()
    assert remaining_folder.name.startswith(f"kernelset-{purpose}-")
    with open_work_folder("test") as folder:
        assert list(temporary.iterdir()) == [folder]
