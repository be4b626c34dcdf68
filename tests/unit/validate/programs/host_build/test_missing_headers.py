"""Headers that a program's own flags do not reach."""

from __future__ import annotations

from pathlib import Path

from crawler import headers
from crawler.validate.programs.host_build.missing_headers import find_include_flags

HELPERS = str(headers.HELPERS)


def explain(name: str) -> str:
    return f"/checkout/src/a.cu:3:10: fatal error: '{name}' file not found\n"


def find(root: Path, name: str, *flags: str) -> tuple[str, ...]:
    return find_include_flags(root, "/checkout", explain(name), flags)


def test_a_header_elsewhere_in_the_tree_is_found_by_the_end_of_its_path(
    tmp_path: Path,
) -> None:
    for name in ("src/a.cu", "lib/include/shapes/box.h", "box.h"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    assert find(tmp_path, "shapes/box.h") == ("-idirafter", "/checkout/lib/include")


def test_a_folder_that_the_flags_have_is_not_added_again(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/box.h").touch()

    assert find(tmp_path, "box.h", "-idirafter", "/checkout/lib") == ()


def test_a_helper_of_the_samples_is_ours_where_the_tree_has_none(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.cu").touch()

    assert find(tmp_path, "helper_cuda.h") == ("-idirafter", HELPERS)
    assert find(tmp_path, "no_such_header.h") == ()


def test_a_projects_own_helper_comes_before_ours(tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common/helper_cuda.h").touch()

    assert find(tmp_path, "helper_cuda.h") == ("-idirafter", "/checkout/common")
