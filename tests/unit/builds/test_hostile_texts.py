"""Texts of strangers that are long, nested or malformed cost little and end no crawl."""

from __future__ import annotations

import json
import shlex
import string
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.builds.bazel.target_commands import TargetReader
from crawler.builds.bazel.workspace import Workspace
from crawler.builds.build_files.build_hints import read_build_hints
from crawler.builds.build_files.target_macros import find_target_specific_macros
from crawler.builds.build_files.toml_documents import parse_toml
from crawler.builds.build_files.version_requirements import find_version_requirements
from crawler.builds.cmake.cache_variables import read_cache_variables
from crawler.builds.cmake.cmake_facts import read_cmake_facts
from crawler.builds.cmake.failed_calls import find_failed_calls, remove_call
from crawler.builds.commands.response_files import split_command_line
from crawler.builds.make.make_log import parse_make_log
from crawler.builds.make.make_script import split_output
from crawler.builds.make.make_variables import choose_switches, list_goals
from crawler.builds.setup_py.environment_switches import find_device_switches
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_tree import open_tree
from crawler.model import Dialect

Plant = Callable[[dict[str, str]], IncludeGraph]
MAX_CPU_SECONDS = 5
KERNEL = "__global__ void k() {}\n"
MANY = 100_000


@contextmanager
def bounded_cpu_time() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < MAX_CPU_SECONDS


@pytest.mark.parametrize(
    "text",
    [
        "ifdef" + " " * MANY,
        "AA =" + " " * MANY + "$(BB)",
        "else" + "\t" * MANY + "ifeq",
        "a " * MANY,
        "a" + " " * MANY,
    ],
)
def test_a_makefile_of_blanks_is_read_in_linear_time(text: str) -> None:
    with bounded_cpu_time():
        assert choose_switches(text) == [()]
        list_goals(text)


@pytest.mark.parametrize("opening", ["#[[\n", "[[", '"\\', "[=[", "#[==[ \n", "((\n"])
def test_a_cmake_call_that_never_closes_stays_and_costs_little(opening: str) -> None:
    text = "f(" + opening * MANY
    with bounded_cpu_time():
        assert remove_call(text, 1, "f") == text


@pytest.mark.parametrize(
    "text",
    [
        "set(AA" + " " * MANY,
        "option(" + "\n" * MANY,
        "AA PROPERTY STRINGS" + " " * MANY,
        "if(AA" + " " * MANY,
        "target_compile_definitions(" * 10_000,
        "a(" * MANY,
        "AAAA::" * MANY,
    ],
)
def test_cmake_files_of_blanks_are_read_in_linear_time(text: str, plant: Plant) -> None:
    tree = plant({"CMakeLists.txt": text}).tree
    with bounded_cpu_time():
        facts = read_cmake_facts(tree)
        assert not find_target_specific_macros(tree)
        read_build_hints(tree)
        assert list(find_version_requirements(tree)) == []
    assert not facts.options
    assert not facts.choices


@pytest.mark.parametrize(
    "text",
    [
        "a." * MANY + "a = 1",
        '"".' * MANY + "a = 1",
        "[" + "a." * 20_000 + "a]\n" + "k = 1\n" * 5000,
        "a = " + "[" * MANY,
        "a = " + "9" * 5000,
        "a = ",
    ],
)
def test_toml_that_nobody_writes_is_an_empty_document(text: str) -> None:
    with bounded_cpu_time():
        assert parse_toml(text) == {}


def test_toml_with_keys_as_people_write_them_is_read() -> None:
    text = '[tool."a.b".c]\nd.e = 1\n' + f'f = "{"Two words. " * 200}"\n'
    assert parse_toml(text)["tool"]["a.b"]["c"]["d"] == {"e": 1}


def test_a_setup_cfg_of_blanks_is_read_in_linear_time(plant: Plant) -> None:
    lines = f"[options]\nname {' ' * MANY}x\npython_requires   =   >=3.8\n"
    tree = plant({"setup.cfg": lines.replace("x\n", "= x\n")}).tree
    with bounded_cpu_time():
        (requirement,) = find_version_requirements(tree)
    assert requirement.asked == ">=3.8"


def read_preset_variables(plant: Plant, presets: object) -> dict[str, str]:
    text = json.dumps({"configurePresets": presets})
    tree = plant({"CMakePresets.json": text}).tree
    return read_cache_variables(tree, ".", Dialect.CUDA, "/src")


def test_presets_that_inherit_each_other_are_resolved_once(plant: Plant) -> None:
    names = [f"p{number}" for number in range(20)]
    presets = [
        {"name": name, "inherits": names, "cacheVariables": {name.upper(): "1"}}
        for name in names
    ]
    with bounded_cpu_time():
        assert read_preset_variables(plant, presets)["P0"] == "1"


@pytest.mark.parametrize("value", ["a\0b", "\ud800", "x" * 100_000, int("9" * 40)])
def test_values_that_no_command_line_holds_are_left_out(
    value: object, plant: Plant
) -> None:
    preset = {"name": "p", "cacheVariables": {"BAD": value, "GOOD": "é"}}
    assert read_preset_variables(plant, [preset]) == {"GOOD": "é"}


def test_a_number_of_endless_digits_in_toml_is_no_value(plant: Plant) -> None:
    text = f"[tool.scikit-build.cmake.define]\nBAD = 0x{'f' * 9000}\nGOOD = 1\n"
    tree = plant({"pyproject.toml": text}).tree
    variables = read_cache_variables(tree, ".", Dialect.CUDA, "/src")
    assert variables == {"GOOD": "1"}


def read_bazel_sources(plant: Plant, build_file: str) -> list[str]:
    graph = plant({"WORKSPACE": "", "BUILD": build_file, "k.cu": KERNEL})
    workspace = Workspace(graph.tree, "", Dialect.CUDA)
    entries = TargetReader(graph, workspace, Dialect.CUDA).list_entries()
    return [entry.file for entry in entries]


LIBRARY = 'cc_library(name = "a", srcs = ["k.cu"], defines = D)\n'


@pytest.mark.parametrize(
    "text",
    [
        "D = []\nif 0: pass\n" + "elif 0: pass\n" * 2000 + LIBRARY,
        'K = "x" * 900000\nD = [select({K: 1}) for i in range(300)]\n' + LIBRARY,
        'W = "\'" + "x" * 900000 + "\'"\nD = [W for i in range(200)]\n' + LIBRARY,
        f"D = []\n{LIBRARY}def f():\n  if_{'a' * 300_000}([])\n"
        "X = [f() for i in range(500)]\n",
        f"D = []\n{LIBRARY}def f():\n  rule({'a_' * 200_000} = 1)\n"
        "X = [f() for i in range(500)]\n",
    ],
    ids=["elif", "select", "defines", "function", "attribute"],
)
def test_a_build_file_with_something_endless_still_names_its_source(
    text: str, plant: Plant
) -> None:
    with bounded_cpu_time():
        assert read_bazel_sources(plant, text) == ["k.cu"]


@pytest.mark.parametrize(
    "copy", ["list(L)", "sorted(L)", "zip(L)", "enumerate(L)", "dict(D)"]
)
def test_copies_of_lists_are_paid_for(copy: str, plant: Plant) -> None:
    text = (
        'L = [str(i) for i in range(5000)]\nD = {"a": 1, "b": 2}\nD.update(D)\n'
        "M = {i: 1 for i in L}\nD = M\n"
        f"X = [{copy} for i in range(5000)]\n"
    )
    graph = plant({"WORKSPACE": "", "BUILD": text})
    workspace = Workspace(graph.tree, "", Dialect.CUDA)
    workspace.read_packages()
    assert workspace.problems == ["BUILD: too much to walk"]


@given(st.text(alphabet="ab \"'\\\n\t$;", max_size=30))
def test_a_command_line_is_split_as_a_shell_does(command: str) -> None:
    try:
        expected_words = shlex.split(command)
    except ValueError:
        expected_words = command.split()
    assert split_command_line(command) == expected_words


def test_a_quoted_word_of_megabytes_is_split_in_linear_time() -> None:
    word = "x" * (2 << 20)
    with bounded_cpu_time():
        assert split_command_line(f"nvcc '-D{word}'") == ["nvcc", f"-D{word}"]


CMAKE_WORDS = (
    'set( option( project( endif( ) if( target_compile_definitions( add_library( ( " '
    "#[[ ]] # k.cu PRIVATE -DA=1 ${X} CACHE STRING BOOL OFF STREQUAL cuda \\ \n ; "
    "find_package( CUDA 11.4 VERSION_LESS message( FATAL_ERROR -std=c++17 A::B [=["
)
MAKE_WORDS = (
    "ifdef ifeq ( ) $( CUDA , = := ?= : all k.cu nvcc -c \\ \n # export else strip "
    "make[1]: Entering directory ' ` && ; | cd > 2>&1 \" kernelset: make 1"
)
PYTHON_WORDS = (
    "setup( install_requires = [ ] ) 'torch>=2' , python_requires os.environ[ 'USE_CUDA' "
    "'-DUSE_CUDA=ON' ('A', None) \n def if : lambda x 0x1 \\ \" # **"
)


def texts_of(words: str) -> st.SearchStrategy[str]:
    pieces = st.sampled_from([*words.split(" "), "\n", " "])
    texts = st.lists(pieces, max_size=40).map(" ".join)
    return texts | st.text(string.printable, max_size=80)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trees")


@settings(max_examples=60, deadline=None)
@given(texts_of(CMAKE_WORDS), texts_of(PYTHON_WORDS), st.integers())
def test_any_build_files_are_read(
    folder: Path, cmake_text: str, python_text: str, number: int
) -> None:
    project = Path(tempfile.mkdtemp(dir=folder))
    (project / "CMakeLists.txt").write_text(cmake_text)
    (project / "setup.py").write_text(python_text)
    (project / "pyproject.toml").write_text(
        f"[project]\nname = {number}\n{python_text}"
    )
    tree = open_tree(project)

    facts = read_cmake_facts(tree)
    assert set(facts.project_folders) <= {"."}
    assert all("k.cu" in source for source in find_target_specific_macros(tree))
    assert all(name.isidentifier() for name in read_build_hints(tree).macros)
    requirements = find_version_requirements(tree)
    assert all(requirement.name for requirement in requirements)


@settings(max_examples=200, deadline=None)
@given(texts_of(CMAKE_WORDS), st.integers(1, 5))
def test_any_cmake_text_loses_at_most_one_call(text: str, line: int) -> None:
    changed_text = remove_call(text, line, "set")
    assert changed_text.count("\n") == text.count("\n")
    assert len(changed_text) <= len(text)
    find_failed_calls(text, "/src", "/src")


@settings(max_examples=200, deadline=None)
@given(texts_of(MAKE_WORDS))
def test_any_makefile_and_any_log_is_read(text: str) -> None:
    assert choose_switches(text)
    assert all(goal.strip() == goal for goal in list_goals(text))
    entries = parse_make_log(text, "/src")
    assert all(entry.arguments for entry in entries)
    assert all(number >= 0 for number in split_output(text))


@settings(max_examples=200, deadline=None)
@given(texts_of(PYTHON_WORDS))
def test_any_setup_py_gives_switches_of_one_value(text: str) -> None:
    assert set(find_device_switches(text).values()) <= {"1"}
