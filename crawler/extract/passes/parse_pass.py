"""Read the kernels of a translation unit, and their uses, from one parse of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.word_index import WordIndex
from crawler.extract.clang import parse
from crawler.extract.clang.cursor import ClangUnit, Cursor
from crawler.extract.clang.cursor_queries import CursorLocations
from crawler.extract.clang.declarations import Declaration, collect_declarations
from crawler.extract.clang.scoped_cursors import (
    collect_active_macros,
    collect_scoped_cursors,
)
from crawler.extract.closure.context.inner_inclusions import find_inclusions
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.includes.installed_headers import find_installed_headers
from crawler.extract.lambdas.lambda_writer import LambdaWriter
from crawler.extract.launches.kernel_use import KernelUse, LaunchTextFacts, SourcePlace
from crawler.extract.launches.kernel_uses import find_kernel_uses
from crawler.extract.nvcc.inherited_targets import inherit_targets
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.translation_unit import TranslationUnit
from crawler.model import CompileCommand, Dialect

CHEVRONS: Final = "<<<"
_GLOBAL: Final = "__global__"
_GLOBAL_PARTS: Final = frozenset(
    part
    for length in range(3, len(_GLOBAL) - 2)
    for part in (_GLOBAL[:length], _GLOBAL[length:])
)
"""What macros may paste together, as `__glo##bal__`."""
_MAX_ATTRIBUTE_DISTANCE: Final = 200
"""Characters in front of a declaration's range that may hold an attribute of it."""


@dataclass(frozen=True, slots=True)
class ParsePass:
    """One parse of a unit: as its host compiler sees it, or with the device's macros too."""

    clang_unit: ClangUnit
    context: UnitContext
    kernels: tuple[Declaration, ...]
    uses: Collection[KernelUse]
    use_words: frozenset[str]
    """What may stand for a use of its kernels."""
    plain_kernel_names: frozenset[str]
    """Names of its kernels that are no templates."""
    functions: Mapping[SourcePlace, Cursor] = field(default_factory=dict)
    """The function round each use and each call of a launching function."""
    lambda_names: frozenset[str] = frozenset()
    """Names of the classes by which its uses call lambdas."""
    further_defines: str = ""
    """Flags of what it defines that no compiler of the command does; mostly empty."""

    def list_launch_words(self) -> set[str]:
        """Return the words that lead to a launch: kernels, the functions that use them, `<<<`."""
        user_names = {use.enclosing_function.rpartition("::")[2] for use in self.uses}
        return {*self.use_words, *(user_names - {""}), CHEVRONS}


def read_pass(clang_unit: ClangUnit, unit: TranslationUnit) -> ParsePass:
    """Return what a parse of a translation unit shows."""
    root, command, unit_text = unit.root, unit.command, unit.unit_text
    locations = CursorLocations(root, command.directory)
    defines = _list_defines(command)
    scoped_cursors = collect_scoped_cursors(
        clang_unit,
        locations,
        unit_text.sources,
    )
    declarations = collect_declarations(
        scoped_cursors,
        unit_text.sources,
        _make_kernel_mark_test(unit_text, defines, locations),
    )
    inherit_targets(declarations, clang_unit)

    kernels = tuple(
        declaration for declaration in declarations if declaration.kind == "kernel"
    )

    use_words = unit_text.find_use_words(
        name for kernel in kernels for name in kernel.names
    )

    lambdas = LambdaWriter(root, command.directory, unit_text.sources, declarations)
    kernel_uses = find_kernel_uses(
        scoped_cursors,
        kernels,
        root,
        command.directory,
        _make_launch_text_facts(unit_text, use_words),
        lambdas,
    )

    context = UnitContext(
        sources=unit_text.sources,
        declarations=lambdas.insert_into(declarations),
        files=tuple(unit_text.files),
        defines=defines,
        dialect=command.dialect or Dialect.CUDA,
        active_macro_offsets=collect_active_macros(scoped_cursors, locations),
        inclusions=find_inclusions(clang_unit, root, command.directory),
        assumed_types=unit.assumed_types,
        library_headers=parse.find_library_headers(clang_unit),
        installed_headers=find_installed_headers(scoped_cursors, unit.libraries),
    )

    return ParsePass(
        clang_unit=clang_unit,
        context=context,
        kernels=kernels,
        uses=kernel_uses.uses,
        use_words=use_words,
        plain_kernel_names=_list_plain_names(kernels),
        functions=kernel_uses.functions,
        lambda_names=lambdas.list_names(),
    )


def _make_launch_text_facts(
    unit_text: UnitText, use_words: frozenset[str]
) -> LaunchTextFacts:
    # asked of every function of a unit, and of its templates once for each instantiation
    word_index = WordIndex(unit_text.sources, {*use_words, CHEVRONS})

    @cache
    def may_contain_use(path: str | None, start: int, end: int, name: str) -> bool:
        return path is not None and word_index.has_word_in_range(
            path, start, end, excluded_word=name
        )

    def is_launched(path: str, offset: int, name: str) -> bool:
        return unit_text.find_launch(path, offset, name) is not None

    return LaunchTextFacts(
        launched_names=unit_text.launched_names,
        is_launched=is_launched,
        may_contain_use=may_contain_use,
        launch_wrappers=unit_text.launch_wrappers,
    )


def _list_plain_names(kernels: Collection[Declaration]) -> frozenset[str]:
    return frozenset(
        kernel.cursor.spelling
        for kernel in kernels
        if kernel.cursor.kind is not CursorKind.FUNCTION_TEMPLATE
    )


def _make_kernel_mark_test(
    unit_text: UnitText, defines: Collection[str], locations: CursorLocations
) -> Callable[[Cursor], bool]:
    """Return a test whether a cursor's text, or what stands just before it, may head a kernel."""
    # e.g. -DKERNEL=__global__
    defined_names = {
        define.partition("=")[0] for define in defines if _GLOBAL in define
    }

    words = unit_text.expand_aliases({_GLOBAL, *_GLOBAL_PARTS, *defined_names})
    marks = WordIndex(unit_text.sources, words)

    def is_marked(cursor: Cursor) -> bool:
        path, start, end = locations.find_extent(cursor)
        if path is None:
            return False

        return marks.has_word_in_range(
            path,
            max(0, start - _MAX_ATTRIBUTE_DISTANCE),
            end,
        )

    return is_marked


def _list_defines(command: CompileCommand) -> tuple[str, ...]:
    """Return the macros of a command line, those of `-DNAME` before those of `-D NAME`."""
    arguments = command.arguments
    # `-DNAME`, and `-D` alone belongs to the next argument
    attached = [
        argument[2:]
        for argument in arguments
        if argument.startswith("-D") and len(argument) > len("-D")
    ]

    separate = [value for word, value in pairwise(arguments) if word == "-D"]

    return tuple(attached + separate)
