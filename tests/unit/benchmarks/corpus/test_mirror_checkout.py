"""Clones of mirrors that lack files: what is there is checked out, what is not is told."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks.corpus.mirror_checkout import CannotClone, check_out

_AUTHOR = ("-c", "user.name=someone", "-c", "user.email=someone@example.org")


def make_mirror(folder: Path, files: dict[str, str]) -> Path:
    """Make a bare repository of one commit with these files."""
    work = folder / "work"
    for name, text in files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for words in (("init", "-q"), ("add", "-A"), (*_AUTHOR, "commit", "-qm", "Begin")):
        subprocess.run(["git", "-C", str(work), *words], check=True)
    mirror = folder / "mirror"
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(mirror)], check=True)
    return mirror


def remove_blob(mirror: Path, path: str) -> None:
    """Remove the object of one file, as a mirror does that keeps no large ones."""
    words = ["git", f"--git-dir={mirror}", "rev-parse", f"HEAD:{path}"]
    ended = subprocess.run(words, check=True, capture_output=True, text=True)
    digest = ended.stdout.strip()
    (mirror / "objects" / digest[:2] / digest[2:]).unlink()


def test_a_whole_mirror_is_cloned_at_its_newest_commit(tmp_path: Path) -> None:
    mirror = make_mirror(tmp_path, {"a.cu": "int a;"})
    commit, missing = check_out(f"file://{mirror}", tmp_path / "tree")
    head = subprocess.check_output(["git", f"--git-dir={mirror}", "rev-parse", "HEAD"])
    assert (commit, missing) == (head.decode().strip(), [])
    assert (tmp_path / "tree" / "a.cu").read_text() == "int a;"


def test_a_mirror_without_a_picture_gives_the_rest_as_one_commit(
    tmp_path: Path,
) -> None:
    mirror = make_mirror(tmp_path, {"src/a b.cu": "int a;", "ä.png": "P" * 99})
    remove_blob(mirror, "ä.png")
    tree = tmp_path / "tree"
    _commit, missing = check_out(f"file://{mirror}", tree)
    assert missing == ["ä.png"]
    again = tmp_path / "again"
    subprocess.run(["git", "clone", "-q", f"file://{tree}", str(again)], check=True)
    assert [path.name for path in again.rglob("*.*") if ".git" not in path.parts] == [
        "a b.cu"
    ]


def test_a_mirror_without_source_code_is_no_project_to_measure(tmp_path: Path) -> None:
    mirror = make_mirror(tmp_path, {"a.cu": "int a;", "b.CPP": "int b;"})
    remove_blob(mirror, "b.CPP")
    with pytest.raises(CannotClone, match=r"lacks source code: b\.CPP"):
        check_out(f"file://{mirror}", tmp_path / "tree")


def test_a_missing_repository_cannot_be_cloned(tmp_path: Path) -> None:
    with pytest.raises(CannotClone):
        check_out(f"file://{tmp_path}/nothing", tmp_path / "tree")
