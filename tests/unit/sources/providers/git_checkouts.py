"""What is taken of a repository of our own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import BadArchive, TooLarge
from crawler.model import Checkout, Repo
from crawler.sources.interface import Limits, SourceOptions
from crawler.sources.providers.git import PLUGIN
from tests.servers.git import GitProject

LIMITS = Limits(seconds=60)
KERNEL = "__global__ void k(float* x) { x[0] = 1; }\n"
Make = Callable[..., GitProject]


def list_one(project: GitProject, ref: str = "") -> Repo:
    (repo,) = PLUGIN.list(
        f"git+file://{project.folder}{'@' if ref else ''}{ref}",
        SourceOptions(limits=LIMITS),
    )
    return repo


def fetch(
    project: GitProject, folder: Path, limits: Limits = LIMITS, commit: str = ""
) -> Checkout:
    folder.mkdir()
    repo = list_one(project)
    return PLUGIN.fetch(
        replace(repo, commit=commit or repo.commit),
        folder,
        SourceOptions(limits=limits),
    )


def files(root: Path) -> dict[str, bytes]:
    assert not [path for path in root.rglob("*") if path.is_symlink()]
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def fetch_error_code(project: GitProject, folder: Path, limits: Limits = LIMITS) -> str:
    with pytest.raises((BadArchive, TooLarge), match=r": \w|refused") as caught:
        fetch(project, folder, limits)
    assert list(folder.iterdir()) == []
    return caught.value.code
