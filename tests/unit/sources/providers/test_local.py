"""Folders and archives of this machine, with whatever may lie in them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.errors import NotFound, TooLarge
from crawler.model import Repo
from crawler.sources.interface import Limits, SourceOptions
from crawler.sources.providers.local import PLUGIN

LIMITS = Limits(seconds=30)


def list_one(path: object) -> Repo:
    (repo,) = PLUGIN.list(str(path), SourceOptions(limits=LIMITS))
    return repo


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a b%20é"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.cu").write_text("kernel")
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def fetch_names(path: Path, out: Path) -> set[str]:
    PLUGIN.fetch(list_one(path), out, SourceOptions(limits=LIMITS))
    return {
        file.relative_to(out).as_posix() for file in out.rglob("*") if not file.is_dir()
    }


def test_only_regular_files_are_taken_and_names_are_spelled_as_text(
    project: Path, out: Path
) -> None:
    (project / "way").symlink_to("/etc")
    (project / "leak").symlink_to("/etc/passwd")
    (project / "round").symlink_to(".")
    os.mkfifo(project / "pipe")
    (project / "a\nb.cu").write_text("x")
    Path(os.fsdecode(os.fsencode(project) + b"/caf\xe9.cu")).write_text("x")
    for skipped in (".git", "node_modules", "__pycache__", ".venv"):
        (project / skipped).mkdir()
        (project / skipped / "file.cu").write_text("x")
    assert fetch_names(project, out) == {"src/a.cu", "a%0Ab.cu", "caf%E9.cu"}


def test_a_home_within_the_folder_is_no_part_of_it(project: Path) -> None:
    pin = list_one(project).commit
    home = project / "state"
    scratch = home / "scratch" / "clone"
    scratch.mkdir(parents=True)
    (home / "kernelset.db").write_text("x")
    (home / "scratch" / "old.cu").write_text("x")
    assert list_one(project).commit == pin
    assert fetch_names(project, scratch) == {"src/a.cu"}


def test_a_copy_into_the_folder_ends(project: Path, tmp_path: Path) -> None:
    scratch = project / "scratch"
    scratch.mkdir()
    assert fetch_names(project, scratch) == {"src/a.cu"}
    (scratch / "src" / "a.cu").unlink()
    (scratch / "src").rmdir()
    way = tmp_path / "way"
    way.symlink_to(scratch)
    assert fetch_names(project, way) == {"src/a.cu"}


def test_a_folder_whose_name_is_no_text_is_found_by_its_spelling(
    tmp_path: Path, out: Path
) -> None:
    folder = tmp_path / os.fsdecode(b"gr\xf6\xdfe")
    folder.mkdir()
    (folder / "a.cu").write_text("kernel")
    spelled = tmp_path / "gr%F6%DFe"
    repo = list_one(spelled)
    assert (repo.name, repo.url.isascii()) == ("gr%F6%DFe", True)
    assert fetch_names(spelled, out) == {"a.cu"}
    spelled.mkdir()
    assert list_one(spelled).commit != repo.commit


def test_a_name_in_any_writing_comes_back(project: Path, out: Path) -> None:
    assert list_one(project).name == "a b%20é"
    assert fetch_names(project, out) == {"src/a.cu"}


def test_the_pin_is_over_names_and_contents(project: Path) -> None:
    first = list_one(project).commit
    (project / "src" / "a.cu").touch()
    assert list_one(project).commit == first
    (project / "src" / "a.cu").rename(project / "src" / "b.cu")
    second = list_one(project).commit
    (project / "src" / "b.cu").write_text("kernel!")
    assert len({first, second, list_one(project).commit}) == 3


def test_a_repository_moved_elsewhere_has_the_same_pin(
    project: Path, tmp_path: Path
) -> None:
    first = list_one(project)
    moved = project.rename(tmp_path / "moved")
    assert list_one(moved).commit == first.commit


@pytest.mark.parametrize(
    "limits", [replace(LIMITS, files=1), replace(LIMITS, unpacked_bytes=8)]
)
def test_a_folder_over_a_limit_is_refused_when_it_is_listed(
    project: Path, limits: Limits
) -> None:
    (project / "b.cu").write_text("kernel")
    with pytest.raises(TooLarge, match="name a smaller folder"):
        list(PLUGIN.list(str(project), SourceOptions(limits=limits)))


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("kernel.cu", "crawl its folder, or run `kernelset extract --input-file`"),
        ("pipe", "neither a folder nor an archive"),
        ("broken", "check the path"),
        ("absent/x.zip", "check the path"),
    ],
)
def test_what_is_neither_folder_nor_archive_is_not_found(
    tmp_path: Path, name: str, advice: str
) -> None:
    (tmp_path / "kernel.cu").write_text("roses")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "broken").symlink_to("nowhere")
    with pytest.raises(NotFound, match=advice):
        list_one(tmp_path / name)


@pytest.mark.parametrize("locator", ["./x", "../x", "/x", "~/x", ".", "..", "local:x"])
def test_a_path_is_claimed(locator: str) -> None:
    assert PLUGIN.claims(locator)


def test_a_path_may_be_relative(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.parent)
    repos = {
        list_one(f"./{project.name}"),
        list_one(f"local:{project.name}"),
        list_one(project),
    }
    monkeypatch.chdir(project)
    assert repos | {list_one(".")} == {list_one(project)}
