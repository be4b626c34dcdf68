"""Compile all mutants of a unit into one program (mutant schemata), selected by number when it
runs.

Source: Untch, Offutt and Harrold, "Mutation Analysis Using Mutant Schemata".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from crawler.model import Diagnostic, KernelUnit, Status
from crawler.validate.emulator.program import Program, build_cpu_program
from crawler.validate.strength.mutation_sites import Change

_MAX_COMPILATIONS: Final = 5
"""Compilations, each without what the one before showed not to compile."""
_UNIT_PATH: Final = "unit.cpp"
_NO_CHANGES: Final[frozenset[int]] = frozenset()

ChangeGroup = tuple[tuple[int, int], list[int]]
"""The changes, by number, that may stand in place of one range of bytes."""
WovenPiece = tuple[str, frozenset[int]]
"""A piece of a text, and the changes that it belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantProgram:
    """A unit's mutants in one program, by their numbers from 1."""

    program: Program
    changes: Mapping[int, Change]


def build_mutants(
    unit: KernelUnit,
    changes: Sequence[Change],
    *,
    max_mutants: int,
    entry: int | None = None,
) -> MutantProgram | None:
    """Return a program of at most `max_mutants` mutants, drawn by the unit's digest, of those
    that compile; `None` without.
    """
    numbered = dict(enumerate(draw_changes(unit, changes, max_mutants), 1))

    for _ in range(_MAX_COMPILATIONS):
        text, changes_by_line = weave_changes(unit.source, numbered)
        program = build_cpu_program(replace(unit, source=text), entry=entry)
        if program.verdict.status is Status.PASS:
            return MutantProgram(program=program, changes=numbered)

        # a change may not compile: `a[i] * 2` to `a[i] + 2` where `a` is of a class without `+`
        refused = _find_refused(program.diagnostics, changes_by_line)
        if not refused:
            refused = _find_constant_changes(unit.source, numbered)

        if not refused:
            return None

        numbered = {
            number: change
            for number, change in numbered.items()
            if number not in refused
        }

    return None


def draw_changes(
    unit: KernelUnit, changes: Sequence[Change], max_mutants: int
) -> list[Change]:
    """Return at most `max_mutants` changes, the same for the same unit, in their order in the
    source.
    """

    def draw(number: int) -> bytes:
        text = f"{unit.digest}:{number}:{changes[number]}"
        return hashlib.sha256(text.encode("utf-8", "replace")).digest()

    drawn = sorted(range(len(changes)), key=draw)[:max_mutants]

    return [changes[number] for number in sorted(drawn)]


def weave_changes(
    source: str, changes: Mapping[int, Change]
) -> tuple[str, dict[int, frozenset[int]]]:
    """Return the source that holds all changes, and which of them each of its lines belongs to.

    Each change begins a line of its own, so that a compiler's message tells which one it does
    not take.
    """
    content = source.encode("utf-8", "surrogateescape")
    groups = _group_by_range(changes)
    line = 1
    changes_by_line: dict[int, frozenset[int]] = {}
    pieces: list[str] = []

    for piece, numbers in _iter_woven(
        content, 0, len(content), groups, changes, _NO_CHANGES
    ):
        pieces.append(piece)
        last_line = line + piece.count("\n")

        for piece_line in range(line, last_line + 1):
            line_changes = changes_by_line.get(piece_line, _NO_CHANGES)
            changes_by_line[piece_line] = line_changes | numbers

        line = last_line

    return "".join(pieces), changes_by_line


def _group_by_range(changes: Mapping[int, Change]) -> list[ChangeGroup]:
    """Return the changes of each range of bytes, what encloses others in front of them."""

    def rank(number: int) -> tuple[int, int, int]:
        return changes[number].begin, -changes[number].end, number

    def byte_range(number: int) -> tuple[int, int]:
        return changes[number].begin, changes[number].end

    groups = groupby(sorted(changes, key=rank), key=byte_range)

    return [(place, list(numbers)) for place, numbers in groups]


def _iter_woven(
    content: bytes,
    begin: int,
    end: int,
    groups: Sequence[ChangeGroup],
    changes: Mapping[int, Change],
    enclosing: frozenset[int],
) -> Iterator[WovenPiece]:
    """Yield a range of a source with its changes: `(KS_MUTANT(1) ? (a - b) : (a + b))`."""
    offset = begin
    index = 0

    while index < len(groups):
        (first, last), numbers = groups[index]
        inner_end = index + 1

        while inner_end < len(groups) and groups[inner_end][0][0] < last:
            inner_end += 1

        yield _decode(content[offset:first]), enclosing
        yield "\n(", frozenset(numbers)

        for number in numbers:
            mutant = f"KS_MUTANT({number}) ? ({changes[number].text})"
            yield mutant, frozenset({number})
            yield "\n:", _NO_CHANGES

        yield "(", _NO_CHANGES
        inner_groups = groups[index + 1 : inner_end]
        yield from _iter_woven(
            content, first, last, inner_groups, changes, frozenset(numbers)
        )
        yield "))\n", _NO_CHANGES
        offset = last
        index = inner_end

    yield _decode(content[offset:end]), enclosing


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _find_constant_changes(source: str, changes: Mapping[int, Change]) -> set[int]:
    """Return the changes on lines that may define a constant, which other lines ask for."""
    lines = source.split("\n")
    return {
        number
        for number, change in changes.items()
        if "const" in lines[change.line - 1]
    }


def _find_refused(
    diagnostics: Iterable[Diagnostic], changes_by_line: Mapping[int, frozenset[int]]
) -> set[int]:
    """Return the changes that a compiler complains of; where its errors name none, those that
    its notes name.
    """
    by_errors: set[int] = set()
    by_notes: set[int] = set()

    for diagnostic in diagnostics:
        if diagnostic.path != _UNIT_PATH:
            continue

        is_error = diagnostic.severity in ("error", "fatal")
        refused = by_errors if is_error else by_notes
        refused |= changes_by_line.get(diagnostic.line, _NO_CHANGES)

    return by_errors or by_notes
