"""Objects of sources that nothing has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crawler import cache
from crawler.checkout.source_tree import open_tree
from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.validate.programs.host_build.host_compiler import KernelNumbers
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.suites.known_objects import OBJECT, KnownObjects, SourceNumbers

COMMAND = CompileCommand(
    directory="csrc",
    file="csrc/scale.cu",
    arguments=("-I.",),
    dialect=Dialect.CUDA,
    origin=FlagsOrigin.RECORDED,
)
FLAGS = ("-O1",)
TEXT = '# 1 "/checkout/csrc/scale.cu"\n# 1 "./include/tile.cuh" 1\nint tile;\n'
PLACE = KernelPlace(path="/checkout/csrc/scale.cu", line=2)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache, "ensure_cache_folder", lambda: tmp_path / "cache")
    (tmp_path / "cache").mkdir()
    folder = tmp_path / "project"
    (folder / "csrc/include").mkdir(parents=True)
    (folder / "csrc/scale.cu").write_text('#include "include/tile.cuh"\n')
    (folder / "csrc/include/tile.cuh").write_text("int tile;\n")
    (folder / "csrc/other.cuh").write_text("int other;\n")
    return folder


def keep_object(project: Path, text: str = TEXT) -> str:
    """Keep an object of the source; return the name under which it is found."""

    def write_object(folder: Path) -> bool:
        return bool((folder / OBJECT).write_bytes(b"machine code"))

    cache.get_or_build("object-1", write_object, required_file=OBJECT)
    objects = KnownObjects(open_tree(project), "torch 2.13")
    name = objects.name_source(COMMAND, FLAGS)
    numbers = SourceNumbers(KernelNumbers())
    numbers.number_kernel(PLACE)
    objects.keep(name, COMMAND, text, "object-1", numbers.kernels)
    return name


def find_object(project: Path, numbers: KernelNumbers | None = None) -> Path | None:
    objects = KnownObjects(open_tree(project), "torch 2.13")
    name = objects.name_source(COMMAND, FLAGS)
    return objects.find(name, numbers or KernelNumbers())


def test_an_object_is_found_where_nothing_has_changed(project: Path) -> None:
    keep_object(project)
    numbers = KernelNumbers()

    known_object = find_object(project, numbers)

    assert known_object is not None
    assert known_object.read_bytes() == b"machine code"
    assert numbers.list_places() == (KernelPlace(path="csrc/scale.cu", line=2),)


def change_header(project: Path) -> None:
    (project / "csrc/include/tile.cuh").write_text("long tile;\n")


def add_namesake(project: Path) -> None:
    (project / "tile.cuh").write_text("int tile;\n")


def drop_object(project: Path) -> None:
    (cache.ensure_cache_folder() / "object-1" / OBJECT).unlink()


@pytest.mark.parametrize("change", [change_header, add_namesake, drop_object])
def test_an_object_is_made_anew_where_its_source_may_be_another(
    project: Path, change: Callable[[Path], None]
) -> None:
    keep_object(project)

    change(project)

    assert find_object(project) is None


def test_what_a_source_does_not_include_may_change(project: Path) -> None:
    keep_object(project)

    (project / "csrc/other.cuh").write_text("long other;\n")

    assert find_object(project) is not None


@pytest.mark.parametrize("flags", [("-O2",), ("-O1", "-DFAST")])
def test_other_flags_make_another_object(project: Path, flags: tuple[str, ...]) -> None:
    name = keep_object(project)

    objects = KnownObjects(open_tree(project), "torch 2.13")

    assert objects.name_source(COMMAND, flags) != name


def test_another_pytorch_makes_another_object(project: Path) -> None:
    name = keep_object(project)

    objects = KnownObjects(open_tree(project), "torch 2.14")

    assert objects.name_source(COMMAND, FLAGS) != name


def test_an_object_whose_kernels_have_other_numbers_is_made_anew(project: Path) -> None:
    keep_object(project)
    numbers = KernelNumbers()
    numbers.number_kernel(KernelPlace(path="/checkout/csrc/new.cu", line=1))

    assert find_object(project, numbers) is None


def test_a_source_with_files_that_it_does_not_name_is_not_kept(project: Path) -> None:
    keep_object(project, TEXT + '# 1 "/checkout/csrc/other.cuh" 1\nint other;\n')

    assert find_object(project) is None
