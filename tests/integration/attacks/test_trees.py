"""Every tree of the list is refused, or taken without a link and without running anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.errors import BadArchive
from tests.integration.attacks.trees import FILE, FOLDER, LINK, PROGRAM, TEXTS, TREES
from tests.unit.sources.providers.git_checkouts import Make, fetch

pytestmark = pytest.mark.apt("git")


@pytest.mark.parametrize("name", sorted(TREES))
def test_it_stays_inside_and_runs_nothing(
    name: str, git_project: Make, tmp_path: Path
) -> None:
    project = git_project()
    mark = tmp_path / "ran"
    script = project.blob(f"#!/bin/sh\ntouch {mark}\n".encode())
    contents = {
        FILE: script,
        PROGRAM: script,
        LINK: project.blob(b"../../../etc"),
        FOLDER: project.tree((PROGRAM, b"post-checkout", script)),
    }
    texts = {
        entry: project.blob(text.replace(b"{mark}", b"touch %s" % str(mark).encode()))
        for entry, text in TEXTS.items()
    }
    kernel = project.blob(b"__global__ void k(float *a) { *a = 1; }\n")
    entries = [
        (mode, entry, texts.get(entry) or contents.get(mode, "0" * 39 + "1"))
        for mode, entry in TREES[name]
    ]
    project.commit_tree(project.tree(*entries, (FILE, b"k.cu", kernel)))

    before = {
        path for path in tmp_path.rglob("*") if path.is_relative_to(project.folder)
    }
    out = tmp_path / "checkouts/out"
    out.parent.mkdir()
    try:
        fetch(project, out)
    except BadArchive:
        assert list(out.iterdir()) == []
    else:
        assert (out / "k.cu").is_file()

    assert not mark.exists()
    assert [path for path in out.parent.iterdir() if path != out] == []
    assert not any(path.is_symlink() for path in out.rglob("*"))
    assert not any(path.name.lower() == ".git" for path in out.rglob("*"))
    assert before == {
        path for path in tmp_path.rglob("*") if path.is_relative_to(project.folder)
    }
