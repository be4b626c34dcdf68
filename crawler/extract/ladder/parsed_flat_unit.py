"""A translation unit as the compiler of its device reads it, and what it gives one kernel."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.library_comment import list_installed_names
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.declarations.device_globals import find_device_globals
from crawler.extract.closure.declarations.extern_variables import (
    define_extern_variables,
)
from crawler.extract.closure.includes.installed_headers import (
    list_versions,
    replace_shims,
)
from crawler.extract.closure.includes.library_headers import select_includes
from crawler.extract.ladder.broken_host_code import blank_broken_host_code
from crawler.extract.ladder.flat_declarations import (
    FlatDeclaration,
    collect_flat_declarations,
)
from crawler.extract.ladder.flat_unit import FlatPiece, FlatUnit, list_required_headers
from crawler.extract.ladder.reduction import blank_unneeded, select_needed
from crawler.extract.ladder.unit_check import (
    LENIENT_FLAGS,
    UNIT_PATH,
    UNIT_ROOT,
    list_errors,
    parse_unit_text,
)
from crawler.model import Closure, KernelFacts, Rung, Span

_MAX_ROUNDS: Final = 4
"""Parses at most: what does not compile for the host may hide more of it."""
_Fragment = tuple[str, Span | None]


@dataclass(frozen=True, slots=True)
class ParsedFlatUnit:
    """A flat unit with its declarations, as the compiler of its device sees them."""

    source: SourceText
    """Its text; what the host alone needs is blanked where it does not compile."""
    declarations: Sequence[FlatDeclaration]
    includes: tuple[str, ...]
    """Its prelude, then the libraries' headers that it includes."""
    pieces: Sequence[FlatPiece]
    piece_lines: Sequence[int]
    """The line of `source` that each piece begins in."""
    context: UnitContext

    @property
    def macro_names(self) -> frozenset[str]:
        """The names of all macros that it defines."""
        return frozenset(macro.name for macro in find_macros(self.source))

    def reduce_to(
        self, kernel: KernelFacts, further_words: Collection[str] = ()
    ) -> Closure | None:
        """Return what words lead to from one kernel; `None` where the unit does not hold it.

        `further_words` are those that macros may make of others.
        """
        roots = [
            declaration
            for declaration in self.declarations
            if declaration.is_kernel and self._holds(declaration, kernel.span)
        ]
        if not roots:
            return None

        # what cannot be left out needs what it names
        roots += [
            declaration
            for declaration in self.declarations
            if not declaration.has_whole_conditionals
        ]
        needed, words = select_needed(
            self.declarations,
            find_macros(self.source),
            roots,
            _list_argument_words(kernel).union(further_words),
        )
        return self._make_closure(kernel, needed, words, Rung.REDUCED)

    def keep_whole(self, kernel: KernelFacts) -> Closure:
        """Return all of the unit but for what no kernel needs."""
        needed = {
            declaration
            for declaration in self.declarations
            if not declaration.is_superfluous
        }
        words = self.macro_names.union(IDENTIFIER.findall(self.source.raw))
        return self._make_closure(kernel, needed, words, Rung.WIDE)

    def _holds(self, declaration: FlatDeclaration, span: Span) -> bool:
        """Tell whether a place of the project stands in a declaration."""
        first_line = self.source.line_number(declaration.start)
        last_line = self.source.line_number(declaration.end - 1)
        index = bisect_right(self.piece_lines, first_line) - 1
        piece = self.pieces[index]
        shift = piece.first_line - self.piece_lines[index]
        is_same_file = piece.source.path == span.path
        return is_same_file and first_line + shift <= span.line <= last_line + shift

    def _make_closure(
        self,
        kernel: KernelFacts,
        needed: Collection[FlatDeclaration],
        words: frozenset[str],
        rung: Rung,
    ) -> Closure:
        parts = [part for declaration in needed for part in declaration.parts]
        parts.sort(key=lambda part: part.start)

        text = blank_unneeded(self.source, self.declarations, needed, words)
        text = define_extern_variables(text, parts)
        fragments = [*self._iter_defines(text), *self._iter_fragments(text)]
        includes = self.includes
        if rung is Rung.REDUCED:
            context = self.context
            includes = replace_shims(
                select_includes(words, context.project_names, context.dialect),
                words - context.project_names,
                context.installed_headers,
            )

        names = {name for part in parts for name in part.names}
        sources = SourceFiles(UNIT_ROOT)
        sources.add(self.source)
        return Closure(
            includes=includes,
            libraries=list_versions(includes, self.context.installed_headers),
            fragments=tuple(fragment for fragment, _ in fragments),
            origins=tuple(span for _, span in fragments),
            dependencies=tuple(sorted(names - {kernel.name})),
            state=find_device_globals(parts, sources),
            owner_parameters=kernel.closure.owner_parameters if kernel.closure else 0,
            rung=rung,
        )

    def _iter_defines(self, text: str) -> Iterator[_Fragment]:
        """Yield the macros of the command line that a text names."""
        text_words = set(IDENTIFIER.findall(text))
        for define in self.context.defines:
            name, _, value = define.partition("=")
            if name in text_words:
                yield f"#define {name} {value or 1}", None

    def _iter_fragments(self, text: str) -> Iterator[_Fragment]:
        """Yield the runs of lines that are left, each with where it stands in the project."""
        lines = text.split("\n")
        is_dropped = [
            not line.strip() and bool(whole_line.strip())
            for line, whole_line in zip(lines, self.source.raw.split("\n"), strict=True)
        ]
        piece_ends = [*self.piece_lines[1:], len(lines)]
        for piece, first, end in zip(
            self.pieces, self.piece_lines, piece_ends, strict=True
        ):
            shift = piece.first_line - first
            for run_start, run_end in _find_runs(lines, is_dropped, first, end):
                run = "\n".join(lines[run_start - 1 : run_end])
                fragment = run.encode("latin-1").decode("utf-8", "replace")
                span = Span(
                    path=piece.source.path,
                    line=run_start + shift,
                    end_line=run_end + shift,
                    offset=0,
                    end_offset=0,
                )
                yield fragment.rstrip(), span


def parse_flat_unit(
    flat_unit: FlatUnit, context: UnitContext, standard: str
) -> ParsedFlatUnit | None:
    """Return a flat unit as its device's compiler reads it; `None` where that gives nothing.

    What the host alone needs is blanked where it does not compile.
    """
    text = flat_unit.text
    includes = list_required_headers(flat_unit, context)
    extra_flags = [
        *LENIENT_FLAGS,
        *(f"-D{define}" for define in context.defines),
    ]
    for header in includes[1:]:
        extra_flags += ["-include", header.strip("<>")]

    for _ in range(_MAX_ROUNDS):
        source = SourceText(UNIT_PATH, text.encode("latin-1", "replace"))
        clang_unit = parse_unit_text(
            source.raw,
            context.dialect,
            standard,
            includes[0],
            extra_flags,
            list_installed_names(list_versions(includes, context.installed_headers)),
        )
        if clang_unit is None:
            return None

        declarations = collect_flat_declarations(clang_unit, source)
        text = blank_broken_host_code(source, declarations, list_errors(clang_unit))
        if text == source.raw:
            break

    lines = [piece.text.count("\n") for piece in flat_unit.pieces]
    return ParsedFlatUnit(
        source=source,
        declarations=declarations,
        includes=includes,
        pieces=flat_unit.pieces,
        piece_lines=list(accumulate(lines[:-1], initial=1)),
        context=context,
    )


def _find_runs(
    lines: Sequence[str], is_dropped: Sequence[bool], first: int, end: int
) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each run that no dropped line parts.

    `first` and `end` are lines from 1, and so is what is yielded.
    """
    run_start = 0
    run_end = 0
    for number in range(first, end):
        if lines[number - 1].strip():
            run_start = run_start or number
            run_end = number
        elif is_dropped[number - 1] and run_start:
            yield run_start, run_end
            run_start = 0

    if run_start:
        yield run_start, run_end


def _list_argument_words(kernel: KernelFacts) -> set[str]:
    return {
        word
        for instantiation in kernel.instantiations
        for argument in instantiation.arguments
        for word in IDENTIFIER.findall(argument)
    }
