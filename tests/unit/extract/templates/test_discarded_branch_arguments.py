"""A kernel in a discarded branch takes borrowed arguments with the branch's own enumerators."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.launches.kernel_use import KernelUse
from crawler.extract.templates.discarded_branch_arguments import (
    find_uninstantiated_sites,
    infer_discarded_branch_arguments,
)
from tests.unit.extract.builders import make_instantiation, make_kernel


def infer(
    folder: Path, launch: str, *borrowed: str, condition: str = "V == Version::v4"
) -> tuple[str, ...] | None:
    """Return the arguments of `first`, whose launch stands in a branch of its own."""
    text = (
        "template <class T, Version V> void run(T *x) {\n"
        f"  if constexpr ({condition}) {{ {launch}<<<1, 32>>>(x); }} else {{ f(); }}\n}}\n"
    )
    (folder / "run.cu").write_text(text)
    kernel = make_kernel("", ("class T", "Version V"), name="first")
    inferred = infer_discarded_branch_arguments(
        kernel,
        [make_instantiation(*borrowed)] if borrowed else [],
        [("run.cu", text.index("first"))],
        SourceFiles(folder),
    )
    return inferred[0].arguments if inferred else None


@pytest.mark.parametrize("borrowed", ["lib::Version::v3", "Version::v3"])
def test_the_required_enumerator_stands_in_place_of_another(
    tmp_path: Path, borrowed: str
) -> None:
    scope = borrowed.rpartition("::")[0]
    arguments = infer(tmp_path, "first<T, V>", "float", borrowed)
    assert arguments == ("float", f"{scope}::v4")


def test_a_cast_of_a_number_is_such_a_value(tmp_path: Path) -> None:
    arguments = infer(tmp_path, "first<T, V>", "float", "static_cast<Version>(3)")
    assert arguments == ("float", "Version::v4")


def test_a_value_within_a_type_is_replaced(tmp_path: Path) -> None:
    borrowed = "Tile<static_cast<Version>(3), lib::Version::v3, Version::v3>"
    arguments = infer(tmp_path, "first<T, V>", borrowed, "Version::v3")
    assert arguments == (
        "Tile<Version::v4, lib::Version::v4, Version::v4>",
        "Version::v4",
    )


def test_types_of_a_namespace_are_no_enumerators(tmp_path: Path) -> None:
    arguments = infer(
        tmp_path,
        "first<T, V>",
        "Tile<lib::Half, lib::v3>",
        "lib::v3",
        condition="V == lib::v4",
    )
    assert arguments is None


def test_what_is_written_at_the_launch_counts(tmp_path: Path) -> None:
    arguments = infer(tmp_path, "first<double, V>", "float", "Version::v3")
    assert arguments == ("double", "Version::v4")


def test_without_an_enumerator_nothing_is_inferred(tmp_path: Path) -> None:
    arguments = infer(
        tmp_path, "first<double, V>", "float", "Version::v3", condition="V"
    )
    assert arguments is None


def test_without_something_borrowed_nothing_is_inferred(tmp_path: Path) -> None:
    assert infer(tmp_path, "first<T, V>") is None


def test_arguments_that_fit_already_are_no_inference(tmp_path: Path) -> None:
    assert infer(tmp_path, "first<T, V>", "float", "Version::v4") is None


def make_use(path: str, *arguments: str) -> KernelUse:
    return KernelUse("first", ("k.cuh", 4), arguments, "", path, 9, "run", 0)


def test_sites_are_uses_with_a_place_and_without_arguments() -> None:
    uses = [make_use("a.cu"), make_use("a.cu"), make_use("a.cu", "float"), make_use("")]
    assert find_uninstantiated_sites(uses) == {("k.cuh", 4, "first"): (("a.cu", 9),)}
