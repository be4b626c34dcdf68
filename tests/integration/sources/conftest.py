"""A project, and the library that it declares."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.sources.declared_library import KERNEL, LIBRARY
from tests.servers.git import GitProject


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.cu").write_text(KERNEL)
    return folder


@pytest.fixture
def library(git_project: Callable[..., GitProject]) -> GitProject:
    project = git_project("origin/owner/lib.git")
    project.commit(LIBRARY)
    project.git("tag", "v1.2")
    project.commit({"include/lib/types.h": "#error a later one\n"})
    return project
