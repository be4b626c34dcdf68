"""Whatever a program leaves, plain files that were asked for come out, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crawler import sandbox
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount
from tests.integration.attacks.backends import open_reachable_folder
from tests.integration.attacks.results import RESULTS

pytestmark = pytest.mark.apt("bwrap")
SECRET = "hunter2-secret"
LIMITS = Limits(seconds=4, file_bytes=4 << 20, scratch_bytes=16 << 20, processes=16)


def run_in(folder: Path, program: str, limits: Limits = LIMITS) -> CompletedProcess:
    """Run a program in `folder/work`, of which `result` and `*.log` come back."""
    work = folder / "work"
    work.mkdir()
    target = sandbox.choose_target(work, "/work")
    mount = Mount(
        source=work, target=target, writable=True, copy_back=("result", "*.log")
    )
    text = f"import os, socket\nos.chdir({target!r})\n{program}"
    return sandbox.run(
        ["python3", "-c", text], mounts=(mount,), cwd=target, limits=limits
    )


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_it_brings_out_plain_files_alone(name: str, backend: str) -> None:
    with open_reachable_folder() as folder:
        (folder / "private").write_text(SECRET)
        victim = str(folder / "private")
        ended = run_in(folder, RESULTS[name].replace("{victim}", victim))
        assert "SyntaxError" not in ended.text
        assert "NameError" not in ended.text

        assert {path.name for path in folder.iterdir()} == {"private", "work"}
        assert (folder / "private").read_text() == SECRET
        assert not (folder / "work").is_symlink()
        results = list((folder / "work").iterdir())
        for path in results:
            assert path.is_file()
            assert not path.is_symlink()
            assert path.name == "result" or path.name.endswith(".log")
            assert path.name.isprintable()
            assert path.stat().st_nlink == 1
            assert path.stat().st_mode & 0o7777 in (0o644, 0o755)
            assert SECRET.encode() not in path.read_bytes()
        assert sum(path.stat().st_size for path in results) <= LIMITS.file_bytes


def test_what_was_asked_for_comes_out(backend: str) -> None:
    with open_reachable_folder() as folder:
        run_in(folder, "open('result', 'w').write('mine'); open('a.log', 'w')")
        assert (folder / "work/result").read_text() == "mine"
        assert (folder / "work/a.log").exists()


def test_it_comes_out_when_the_time_was_up(backend: str) -> None:
    with open_reachable_folder() as folder:
        program = "open('result', 'w').write('mine')\nwhile True: pass"
        ended = run_in(folder, program, replace(LIMITS, seconds=2))
        assert ended.timed_out
        assert (folder / "work/result").read_text() == "mine"
