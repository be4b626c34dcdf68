"""Declarations as libclang shows them: scopes, names, kinds and ranges."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.clang import parse
from crawler.extract.clang.cursor import ClangUnit, Cursor
from crawler.extract.clang.cursor_queries import (
    CursorLocations,
    NodeBudget,
    collect_descendants,
    cursor_name,
    get_specialized_template,
    list_child_cursors,
)
from crawler.extract.clang.declarations import Declaration, collect_declarations
from crawler.extract.clang.scoped_cursors import (
    ScopedCursor,
    collect_active_macros,
    collect_scoped_cursors,
)
from crawler.extract.clang.skipped_ranges import find_skipped_ranges
from crawler.extract.clang.type_printer import print_qualified_type
from crawler.model import CompileCommand, Dialect, FlagsOrigin

HEADER = "struct Outside {};\n"
TEXT = """\
#include "header.h"
#define ACTIVE 1
#if 0
#define SKIPPED 1
#endif
#define MAKE(name) namespace made { struct name {}; }
namespace lib { inline namespace v2 {
template <class T, int N = 4> struct Tile { T values[N]; };
enum Mode { kSum, kMean };
typedef int Count __attribute__((aligned(8)));
template <class T> __global__ void kernel(T* x) { x[0] = 1; }
static void host_only() {}
constexpr int both(int a) { return a; }
} }
extern "C" { int c_function(int a); }
MAKE(Made)
struct Owner { static __global__ void member(int* x) { x[0] = 1; } };
lib::Tile<lib::Mode> variable;
using lib::Tile;
static_assert(sizeof(int) == 4, "");
void run(int* x) { lib::kernel<int><<<1, 1>>>(x); }
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("declarations")
    (folder / "a.cu").write_text(TEXT)
    (folder / "header.h").write_text(HEADER)
    return folder


@pytest.fixture(scope="module")
def unit(root: Path) -> ClangUnit:
    command = CompileCommand(
        directory=".",
        file="a.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )
    return parse.parse_unit(root, command, has_torch=False)


@pytest.fixture(scope="module")
def scoped_cursors(root: Path, unit: ClangUnit) -> list[ScopedCursor]:
    return collect_scoped_cursors(unit, CursorLocations(root, "."), SourceFiles(root))


@pytest.fixture(scope="module")
def declarations(
    root: Path, scoped_cursors: list[ScopedCursor]
) -> dict[str, Declaration]:
    listed = collect_declarations(
        scoped_cursors, SourceFiles(root), lambda cursor: True
    )
    return {
        declaration.names[0]: declaration for declaration in listed if declaration.names
    }


def iter_variables(unit: ClangUnit) -> Iterator[Cursor]:
    for cursor in list_child_cursors(unit.cursor):
        if cursor_name(cursor) == "variable":
            yield cursor


def test_kinds(declarations: dict[str, Declaration]) -> None:
    kinds = {name: declaration.kind for name, declaration in declarations.items()}
    assert kinds["kernel"] == "kernel"
    assert kinds["member"] == "kernel"
    assert kinds["host_only"] == "function"
    assert kinds["Mode"] == "type"
    assert kinds["Count"] == "alias"
    assert kinds["variable"] == "variable"


def test_enumerators_are_names_of_their_enumeration(
    declarations: dict[str, Declaration],
) -> None:
    assert declarations["Mode"].names == ("Mode", "kSum", "kMean")


def test_scopes(declarations: dict[str, Declaration]) -> None:
    kernel = declarations["kernel"]
    assert kernel.namespaces == ("lib", "v2")
    assert kernel.scope_openings == ("namespace lib {", "inline namespace v2 {")
    assert declarations["c_function"].scope_openings == ('extern "C" {',)
    assert declarations["member"].namespaces == ("Owner",)
    assert declarations["Outside"].path == "header.h"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kernel", "template <class T> __global__ void kernel(T* x) { x[0] = 1; }"),
        ("Count", "typedef int Count __attribute__((aligned(8)));"),
        ("Mode", "enum Mode { kSum, kMean };"),
        ("Made", "MAKE(Made)"),
        ("c_function", "int c_function(int a);"),
        ("variable", "lib::Tile<lib::Mode> variable;"),
    ],
)
def test_ranges_hold_all_of_a_declaration(
    declarations: dict[str, Declaration], name: str, text: str
) -> None:
    declaration = declarations[name]
    assert TEXT[declaration.start : declaration.end] == text
    assert declaration.span.line == TEXT[: TEXT.index(text)].count("\n") + 1


def test_what_a_macro_makes_needs_no_opening(
    declarations: dict[str, Declaration],
) -> None:
    assert declarations["Made"].scope_openings == ()
    assert declarations["Made"].namespaces == ("made",)


def test_what_device_code_may_use(declarations: dict[str, Declaration]) -> None:
    usable = {name for name in declarations if declarations[name].is_usable_on_device}
    assert {"both", "Mode", "member"} <= usable
    assert not {"host_only", "variable"} & usable


def test_macros_that_the_preprocessor_took(
    root: Path, scoped_cursors: list[ScopedCursor]
) -> None:
    active = collect_active_macros(scoped_cursors, CursorLocations(root, "."))
    assert ("a.cu", TEXT.index("ACTIVE")) in active
    assert ("a.cu", TEXT.index("SKIPPED")) not in active


def test_types_are_printed_with_all_names_qualified(unit: ClangUnit) -> None:
    (variable,) = iter_variables(unit)
    assert print_qualified_type(variable.type) == "lib::Tile<lib::Mode>"
    made = variable.type.get_canonical().get_declaration()
    template = get_specialized_template(made)
    assert template is not None
    assert template.spelling == "Tile"
    assert get_specialized_template(variable) is None


def test_descendants_within_a_budget(unit: ClangUnit) -> None:
    (function,) = [
        cursor
        for cursor in list_child_cursors(unit.cursor)
        if cursor_name(cursor) == "run"
    ]
    every_kind = range(1, 1_000)
    budget = NodeBudget(1_000)
    nodes = collect_descendants(function, every_kind, budget)
    assert budget.remaining == 1_000 - len(nodes)
    assert "kernel" in {cursor_name(node) for node in nodes}
    assert len(collect_descendants(function, every_kind, NodeBudget(2))) < len(nodes)


def test_files_that_were_left_out(root: Path, unit: ClangUnit) -> None:
    ((path, start, end),) = find_skipped_ranges(unit, root, ".")
    assert path == "a.cu"
    assert "#define SKIPPED" in TEXT[start:end]
    assert parse.collect_diagnostics(unit, root) == ()
