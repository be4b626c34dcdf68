"""What a project's own build has left, as we read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.validate.suites.interface import choose_suite_kind
from crawler.validate.suites.kinds.own_build import _find_broken
from crawler.validate.suites.own_builds.build_plan import _find_check_target
from crawler.validate.suites.own_builds.own_build import _read_kernels, _read_tests

NINJA_LOG = """[1/3] Building CUDA object CMakeFiles/a.dir/a.cu.o
FAILED: CMakeFiles/a.dir/a.cu.o
/opt/cuda/bin/nvcc -c a.cu
a.cu:3:1: error: unknown type name 'x'
1 error generated.
[2/3] Linking CXX executable b
FAILED: b
b.cpp:(.text+0x5): undefined reference to `missing()'
"""
MAKE_LOG = """nvcc -c a.cu
a.cu:3:1: error: unknown type name 'x'
make: *** [Makefile:4: out/a.o] Error 1
"""
CMAKE_LOG = """$ cmake -S /checkout -B /build
CMake Error at src/CMakeLists.txt:7 (target_link_libraries):
  Target "a" links to:

    b::b

-- Generating done
exit code {}
$ cmake --build /build
exit code 1
"""


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"CMakeLists.txt": "project(a)", "a.cu": ""}, "own_build"),
        ({"src/Makefile": "all:", "src/a.cu": ""}, "own_build"),
        # there is nothing to be run on a device
        ({"CMakeLists.txt": "project(a)", "a.cpp": ""}, "pytest_extension"),
        ({"third_party/x/Makefile": "all:", "a.cu": ""}, "pytest_extension"),
        ({"a.cu": ""}, "pytest_extension"),
    ],
)
def test_what_a_project_has_says_which_suite_is_its_own(
    tmp_path: Path, files: dict[str, str], kind: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    assert choose_suite_kind(open_tree(tmp_path)).name == kind


def test_targets_that_failed_are_told_with_their_first_error() -> None:
    assert dict(_find_broken(NINJA_LOG)) == {
        "CMakeFiles/a.dir/a.cu.o": "a.cu:3:1: error: unknown type name 'x'",
        "b": "b.cpp:(.text+0x5): undefined reference to `missing()'",
    }
    assert dict(_find_broken(MAKE_LOG)) == {
        "out/a.o": "a.cu:3:1: error: unknown type name 'x'"
    }


def test_the_rule_that_checks_is_found(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("test := 3\nall: a\ncheck: all\n\t./a\n")
    assert _find_check_target(open_tree(tmp_path), "") == "check"


def test_results_that_a_build_has_forged_are_nothing(tmp_path: Path) -> None:
    file = tmp_path / "tests.json"
    for text in ("[[[[", '[{"name": 3}]', "[" * 100_000, ""):
        file.write_text(text)
        assert _read_tests(file) == ()

    file.write_text('["/checkout/a.cu", 3]\nnonsense\n["/etc/passwd", 1]\n')
    places = list(_read_kernels(file))
    assert [(place.path, place.line) for place in places] == [
        ("a.cu", 3),
        ("", 0),
        ("/etc/passwd", 1),
    ]
    link = tmp_path / "link"
    link.symlink_to(file)
    assert list(_read_kernels(link)) == []


def test_a_configuration_that_fails_says_why() -> None:
    assert dict(_find_broken(CMAKE_LOG.format(1))) == {
        "configure": "CMake Error at src/CMakeLists.txt:7 (target_link_libraries):"
        ' Target "a" links to: b::b'
    }
    # what CMake went on behind has left a build
    assert dict(_find_broken(CMAKE_LOG.format(0))) == {}
