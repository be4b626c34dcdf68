"""Repositories that CMake files fetch are read from the text of their calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.sources.dependencies.declarers.cmake import PLUGIN
from crawler.sources.dependencies.interface import DeclaredDependency

URL = "https://github.com/owner/library"


def find_in(root: Path, text: str, **others: str) -> list[DeclaredDependency]:
    """Return what a project declares whose CMakeLists.txt has the text."""
    (root / "CMakeLists.txt").write_text(text)
    for name, content in others.items():
        path = root / f"cmake/{name}.cmake"
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    return list(PLUGIN.find_declared(open_tree(root)))


def test_fetched_content_is_named_with_its_tag_and_file(tmp_path: Path) -> None:
    text = f"FetchContent_Declare(lib\n  GIT_REPOSITORY {URL}.git\n  GIT_TAG v1.2\n)\n"
    assert find_in(tmp_path, text) == [
        DeclaredDependency(
            name="lib", url=f"{URL}.git", ref="v1.2", path="CMakeLists.txt"
        )
    ]


@pytest.mark.parametrize(
    ("call", "ref"),
    [
        (f"ExternalProject_Add(lib URL {URL}/archive/v2.zip)", ""),
        (f"ExternalProject_Add(lib GIT_REPOSITORY {URL})", ""),
        (f"fetchcontent_declare(lib GIT_REPOSITORY {URL} GIT_TAG main)", "main"),
        (f'CPMAddPackage(NAME lib GIT_REPOSITORY "{URL}" VERSION 1.2)', "v1.2"),
        (f"my_fetch(lib GIT_REPOSITORY {URL} VERSION 3 GIT_TAG abc)", "abc"),
        # a keyword without a value
        (f"FetchContent_Declare(lib GIT_REPOSITORY {URL} GIT_TAG)", ""),
    ],
)
def test_a_call_names_a_repository_and_perhaps_a_ref(
    tmp_path: Path, call: str, ref: str
) -> None:
    (declared,) = find_in(tmp_path, call)
    assert declared.name == "lib"
    assert declared.url.startswith(URL)
    assert declared.ref == ref


@pytest.mark.parametrize(
    ("words", "declared"),
    [
        ('"gh:owner/library#v1.0"', ("library", URL, "v1.0")),
        ('"gh:owner/library@1.0"', ("library", URL, "1.0")),
        ("gh:owner/library", ("library", URL, "")),
        ("gh:owner/library VERSION 2.1", ("library", URL, "v2.1")),
        ('"gl:a/b#c"', ("b", "https://gitlab.com/a/b", "c")),
        ("bb:a/b.c", ("b.c", "https://bitbucket.org/a/b.c", "")),
    ],
)
def test_cpm_shortens_addresses(
    tmp_path: Path, words: str, declared: tuple[str, str, str]
) -> None:
    (dependency,) = find_in(tmp_path, f"CPMAddPackage({words})\n")
    assert (dependency.name, dependency.url, dependency.ref) == declared


def test_a_short_address_of_another_command_is_no_repository(tmp_path: Path) -> None:
    assert find_in(tmp_path, "message(gh:owner/library)\n") == []


@pytest.mark.parametrize(
    "text",
    [
        f"# FetchContent_Declare(lib GIT_REPOSITORY {URL})\n",
        f'# say "#"\n# FetchContent_Declare(lib GIT_REPOSITORY {URL})\n',
        f"#[[ FetchContent_Declare(lib GIT_REPOSITORY {URL})\n]]\n",
        f"FetchContent_Declare(lib GIT_REPOSITORY {URL}\n",
        "FetchContent_Declare(lib SOURCE_DIR ../lib)\n",
        "FetchContent_Declare(lib GIT_REPOSITORY git@github.com:owner/library)\n",
        "FetchContent_Declare(lib GIT_REPOSITORY ${UNKNOWN})\n",
        "FetchContent_Declare()\n",
    ],
)
def test_what_names_no_repository_declares_none(tmp_path: Path, text: str) -> None:
    assert find_in(tmp_path, text) == []


def test_behind_a_comment_calls_go_on(tmp_path: Path) -> None:
    text = f"""#[[ one
 ]] FetchContent_Declare(a GIT_REPOSITORY {URL}) # two
FetchContent_Declare(b # three )
  GIT_REPOSITORY {URL})
"""
    assert [declared.name for declared in find_in(tmp_path, text)] == ["a", "b"]


def test_a_call_that_does_not_end_hides_none_behind_it(tmp_path: Path) -> None:
    text = f'broken("\nFetchContent_Declare(lib GIT_REPOSITORY {URL})\n'
    assert [declared.name for declared in find_in(tmp_path, text)] == ["lib"]


def test_variables_are_filled_in_wherever_they_are_set(tmp_path: Path) -> None:
    text = """
cmake_minimum_required(VERSION 3.18)
set(lib_tag v3)
set(lib_tag v4)
set(HOST https://github.com)
set(EMPTY)
project(waves VERSION 1.5 LANGUAGES CUDA)
FetchContent_Declare(lib GIT_REPOSITORY ${HOST}/${OWNER}/library GIT_TAG ${lib_tag})
FetchContent_Declare(own GIT_REPOSITORY ${HOST}/a/own GIT_TAG r${PROJECT_VERSION})
"""
    lib, own = find_in(tmp_path, text, deeper="set(OWNER owner CACHE STRING)\n")
    assert (lib.url, lib.ref) == (URL, "v3")
    assert (own.url, own.ref) == ("https://github.com/a/own", "r1.5")


def test_a_tag_that_only_a_configuration_knows_is_none(tmp_path: Path) -> None:
    text = f"FetchContent_Declare(lib GIT_REPOSITORY {URL} GIT_TAG ${{TAG}})\n"
    (declared,) = find_in(tmp_path, text)
    assert declared.ref == ""


def test_a_function_reads_keywords_of_its_caller(tmp_path: Path) -> None:
    text = f"""
function(find_lib)
  cmake_parse_arguments(PKG "" "PINNED_TAG" "" ${{ARGN}})
  FetchContent_Declare(lib GIT_REPOSITORY {URL} GIT_TAG ${{PKG_PINNED_TAG}})
endfunction()
find_lib(PINNED_TAG 0a1b2c)
"""
    (declared,) = find_in(tmp_path, text)
    assert declared.ref == "0a1b2c"


@pytest.mark.parametrize(
    "definition", ["set(A ${A}x)", "set(A ${B})\nset(B ${A})", "set(A ${A}${A})"]
)
def test_variables_that_hold_themselves_come_to_an_end(
    tmp_path: Path, definition: str
) -> None:
    text = f"{definition}\nFetchContent_Declare(lib GIT_REPOSITORY {URL}/${{A}})\n"
    (declared,) = find_in(tmp_path, text)
    assert declared.url.startswith(URL)
    assert len(declared.url) <= 2000


def test_outer_files_come_first_and_other_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(f"x(y GIT_REPOSITORY {URL})\n")
    outer = f"x(outer GIT_REPOSITORY {URL})\n"
    declared = find_in(tmp_path, outer, deps=outer.replace("outer", "inner"))
    assert [(dependency.name, dependency.path) for dependency in declared] == [
        ("outer", "CMakeLists.txt"),
        ("inner", "cmake/deps.cmake"),
    ]
