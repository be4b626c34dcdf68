from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.commands.checkout_paths import (
    CheckoutPathMapper,
    SourceFinder,
    guess_recorded_root,
    is_windows_path,
    slash_path,
)
from crawler.checkout.generated_files import BuildOutput, GeneratedPathMapper
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import GeneratedFile

Plant = Callable[[dict[str, str]], IncludeGraph]
FILES = frozenset({"src/k.cu", "src/l.cu", "main.cpp"})


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("k.cu", "build/k.cu"),
        ("../k.cu", "k.cu"),
        ("/src/inc", "inc"),
        ("..", "."),
        ("/src", "."),
        ("../..", None),
        ("/srcs/k.cu", None),
        ("/etc/passwd", None),
        ("/src/a\0b", None),
    ],
)
def test_paths_are_relative_to_the_root_or_outside(
    path: str, expected: str | None
) -> None:
    assert CheckoutPathMapper("/src", "/src/build")(path) == expected


def test_the_root_may_be_that_of_the_file_system() -> None:
    map_path = CheckoutPathMapper("/", "/work")
    assert map_path("k.cu") == "work/k.cu"
    assert map_path("/") == "."


def test_a_path_of_windows_has_its_drive_as_a_folder() -> None:
    map_path = CheckoutPathMapper("/C:/src", "/C:/src/build", is_windows=True)
    assert map_path(r"..\inc") == "inc"
    assert map_path(r"C:\src\a\b.cu") == "a/b.cu"
    assert map_path(r"D:\src\a.cu") is None


def test_what_a_build_wrote_elsewhere_has_a_place_in_the_checkout() -> None:
    output = BuildOutput(
        files=(GeneratedFile(path=".generated/cmake/gen/a.cu", text=""),)
    )
    map_path = CheckoutPathMapper(
        "/src",
        "/build",
        generated_paths=GeneratedPathMapper("/build", ".generated/cmake", output),
    )
    assert map_path("gen/a.cu") == ".generated/cmake/gen/a.cu"
    assert map_path("gen") == ".generated/cmake/gen"
    assert map_path("gen/b.cu") is None


@pytest.mark.parametrize(
    ("path", "slashed"),
    [
        (r"C:\src\k.cu", "/C:/src/k.cu"),
        ("C:/src/k.cu", "/C:/src/k.cu"),
        (r"src\k.cu", "src/k.cu"),
        ("/src/k.cu", "/src/k.cu"),
    ],
)
def test_backslashes_become_slashes(path: str, slashed: str) -> None:
    assert slash_path(path) == slashed
    assert not is_windows_path(slashed)


def test_only_a_drive_makes_a_path_one_of_windows() -> None:
    assert is_windows_path(r"C:\x")
    assert is_windows_path("c:/x")
    assert not is_windows_path("c:x")
    assert not is_windows_path("/c:/x")


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["/here/src/k.cu"], "/here"),
        (["/ann/src/k.cu", "/ann/src/l.cu"], "/ann"),
        (["/ann/p/src/k.cu", "/ann/p/main.cpp", "/tmp/x.cpp"], "/ann/p"),
        (["/ann/src/k.cu", "/x/1.cu", "/x/2.cu"], "/here"),
        (["/ann/other.cu"], "/here"),
        ([], "/here"),
    ],
)
def test_the_root_of_another_machine_is_where_most_files_are_ours(
    paths: list[str], expected: str
) -> None:
    assert guess_recorded_root(paths, FILES, "/here") == expected


@given(st.lists(st.sampled_from(["ann", "b", "src", "p"]), min_size=1, max_size=4))
def test_any_root_is_found(folders: list[str]) -> None:
    root = "/" + "/".join(folders)
    paths = [f"{root}/{file}" for file in FILES]
    assert guess_recorded_root(paths, FILES, "/here") == root


def test_a_moved_device_source_is_found_by_three_names_if_they_are_unique(
    plant: Plant,
) -> None:
    finder = SourceFinder(
        plant(
            {
                "pkg/a/b/k.cu": "",
                "one/x/y/twice.cu": "",
                "two/x/y/twice.cu": "",
                "pkg/a/b/host.cpp": "",
            }
        )
    )
    assert finder.find_source("a/b/k.cu") == "pkg/a/b/k.cu"
    assert finder.find_source("elsewhere/a/b/k.cu") == "pkg/a/b/k.cu"
    assert finder.find_source("b/k.cu") is None
    assert finder.find_source("x/y/twice.cu") is None
    assert finder.find_source("a/b/host.cpp") is None
    assert finder.find_source("pkg/a/b/host.cpp") == "pkg/a/b/host.cpp"
    assert finder.find_source(None) is None
