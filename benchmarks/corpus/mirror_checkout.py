"""Check a Git repository out whose mirror may lack some of its largest files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from benchmarks.corpus.kernel_count import SUFFIXES

_IDENTITY = ("-c", "user.name=mirror", "-c", "user.email=mirror@localhost")


class CannotClone(Exception):
    """A repository is not to be had, or lacks source code: the next is drawn instead."""


def check_out(repository: str, tree: Path) -> tuple[str, list[str]]:
    """Clone the newest commit to `tree`; return its digest and the paths that it lacks.

    A mirror may lack blobs that are larger than it keeps (pictures, data, weights). Such a clone is
    made from what the mirror has, with the commit's tree less those files as one new commit. Raises
    `CannotClone` where nothing can be cloned, or what is lacking is source code.
    """
    cloned = _run_git(
        "clone", "--quiet", "--depth", "1", repository, str(tree), check=False
    )
    if cloned.returncode == 0:
        return _run_git("-C", str(tree), "rev-parse", "HEAD").stdout.strip(), []

    mirror = Path(repository.removeprefix("file://"))
    if not (mirror / "objects").is_dir():
        raise CannotClone(cloned.stderr.strip().splitlines()[-1])
    return _check_out_partly(mirror, tree)


def _check_out_partly(mirror: Path, tree: Path) -> tuple[str, list[str]]:
    commit = _run_git(f"--git-dir={mirror}", "rev-parse", "HEAD").stdout.strip()
    missing = _list_missing_files(mirror, commit)
    sources = [path for path in missing if Path(path).suffix.lower() in SUFFIXES]
    if sources:
        raise CannotClone(f"its mirror lacks source code: {sources[0]}")

    tree.mkdir(exist_ok=True)
    _run_git("init", "--quiet", str(tree))
    alternates = tree / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(f"{mirror / 'objects'}\n")
    git = ("-C", str(tree), *_IDENTITY)
    listing = _run_git(f"--git-dir={mirror}", "ls-tree", "-r", "-z", commit).stdout
    lacking = set(missing)
    entries = (entry for entry in listing.split("\0") if entry)
    kept_entries = (
        entry for entry in entries if entry.partition("\t")[2] not in lacking
    )
    _run_git(
        *git, "update-index", "-z", "--index-info", text="\0".join(kept_entries) + "\0"
    )
    _run_git(*git, "commit", "--quiet", "--message", commit)
    _run_git(*git, "checkout", "--quiet", "--force", "HEAD")
    return commit, missing


def _list_missing_files(mirror: Path, commit: str) -> list[str]:
    listing = _run_git(f"--git-dir={mirror}", "ls-tree", "-r", "-z", commit).stdout
    paths: dict[str, list[str]] = {}
    for entry in filter(None, listing.split("\0")):
        kinds, _, path = entry.partition("\t")
        _mode, kind, digest = kinds.split()
        if kind == "blob":
            paths.setdefault(digest, []).append(path)
    check = ("cat-file", "--batch-check")
    checked = _run_git(
        f"--git-dir={mirror}", *check, text="\n".join(paths) + "\n"
    ).stdout
    lacking = (
        line.split()[0] for line in checked.splitlines() if line.endswith("missing")
    )
    return sorted(path for digest in lacking for path in paths[digest])


def _run_git(
    *words: str, text: str | None = None, check: bool = True
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
    }
    return subprocess.run(
        ["git", *words],
        env=environment,
        input=text,
        check=check,
        capture_output=True,
        text=True,
    )
