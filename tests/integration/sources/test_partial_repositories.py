"""Repositories on this machine that lack objects of their own, as partial clones do."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.errors import BadArchive, NotFound
from crawler.sources.interface import Limits, SourceOptions
from crawler.sources.providers.git import PLUGIN
from tests.servers.git import GitProject, remove_object

pytestmark = pytest.mark.apt("git")

OPTIONS = SourceOptions(limits=Limits(seconds=30))
FILES = {
    "k.cu": "__global__ void k(float* x) { x[0] = 1; }\n",
    "table.dat": "1 2 3\n",
    "film.gif": "GIF89a",
    "common.h": "#define N 4\n",
}


def fetch(project: GitProject, folder: Path) -> dict[str, str]:
    """Return the files that come of a repository."""
    folder.mkdir()
    (repo,) = PLUGIN.list(f"git+file://{project.folder}", OPTIONS)
    PLUGIN.fetch(repo, folder, OPTIONS)
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_what_nobody_reads_need_not_be_there(
    git_project: Callable[..., GitProject], tmp_path: Path
) -> None:
    project = git_project("origin/owner/project.git")
    project.commit(FILES)
    remove_object(project, "film.gif")

    files = {name: text for name, text in FILES.items() if name != "film.gif"}
    assert fetch(project, tmp_path / "out") == files


def test_absent_data_is_left_out(
    git_project: Callable[..., GitProject], tmp_path: Path
) -> None:
    project = git_project("origin/owner/project.git")
    project.commit(FILES)
    remove_object(project, "table.dat")

    files = {name: FILES[name] for name in ("k.cu", "common.h")}
    assert fetch(project, tmp_path / "out") == files


def test_an_absent_header_is_named_and_costs_no_more(
    git_project: Callable[..., GitProject], tmp_path: Path
) -> None:
    project = git_project("origin/owner/project.git")
    project.commit(FILES)
    remove_object(project, "common.h")

    (repo,) = PLUGIN.list(f"git+file://{project.folder}", OPTIONS)
    checkout = PLUGIN.fetch(repo, tmp_path / "out", OPTIONS)

    assert checkout.absent_sources == ("common.h",)
    assert {path.name for path in checkout.root.iterdir()} == FILES.keys() - {
        "common.h",
        "film.gif",
    }


def test_without_any_device_source_it_is_refused(
    git_project: Callable[..., GitProject], tmp_path: Path
) -> None:
    project = git_project("origin/owner/project.git")
    project.commit(FILES)
    remove_object(project, "k.cu")

    with pytest.raises(BadArchive, match=r"does not send 'k\.cu'"):
        fetch(project, tmp_path / "out")


def test_a_lost_commit_is_not_found(
    git_project: Callable[..., GitProject], tmp_path: Path
) -> None:
    project = git_project("origin/owner/project.git")
    project.commit(FILES)
    (repo,) = PLUGIN.list(f"git+file://{project.folder}", OPTIONS)
    git_folder = project.folder / ".git"
    objects = (git_folder if git_folder.is_dir() else project.folder) / "objects"
    (objects / repo.commit[:2] / repo.commit[2:]).unlink()

    with pytest.raises((NotFound, BadArchive)):
        PLUGIN.fetch(repo, tmp_path, OPTIONS)


def test_what_is_absent_is_not_fetched_by_a_command_of_the_repository(
    git_project: Callable[..., GitProject], tmp_path: Path
) -> None:
    project = git_project("origin/owner/project.git")
    project.commit(FILES)
    remove_object(project, "table.dat")
    settings = {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "stranger",
        "remote.stranger.url": str(project.folder),
        "remote.stranger.promisor": "true",
        "remote.stranger.uploadpack": f"touch {tmp_path}/ran; git-upload-pack",
    }
    for name, value in settings.items():
        command = ["git", "-C", str(project.folder), "config", name, value]
        subprocess.run(command, check=True)

    assert set(fetch(project, tmp_path / "out")) == {"k.cu", "common.h"}
    assert not (tmp_path / "ran").exists()
