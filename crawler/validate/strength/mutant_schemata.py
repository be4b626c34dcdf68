"""Compile all mutants of a unit into one program (mutant schemata), selected by number when it
runs.
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

_ROUNDS: Final = 5
"""Compilations, each without what the one before showed not to compile."""
_UNIT: Final = "unit.cpp"


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
    wanted = dict(enumerate(draw_changes(unit, changes, max_mutants), 1))
    for _ in range(_ROUNDS):
        text, lines = weave_changes(unit.source, wanted)
        program = build_cpu_program(replace(unit, source=text), entry=entry)
        if program.verdict.status is Status.PASS:
            return MutantProgram(program=program, changes=wanted)
        refused = _refused(program.diagnostics, lines) or _of_constants(
            unit.source, wanted
        )
        if not refused:
            return None
        wanted = {
            number: change for number, change in wanted.items() if number not in refused
        }
    return None


def draw_changes(
    unit: KernelUnit, changes: Sequence[Change], max_mutants: int
) -> list[Change]:
    """Return at most `max_mutants` changes, the same for the same unit, in their order in the
    source.
    """

    def draw(number: int) -> bytes:
        return hashlib.sha256(
            f"{unit.digest}:{number}:{changes[number]}".encode("utf-8", "replace")
        ).digest()

    chosen = sorted(sorted(range(len(changes)), key=draw)[:max_mutants])
    return [changes[number] for number in chosen]


def weave_changes(
    source: str, changes: Mapping[int, Change]
) -> tuple[str, dict[int, frozenset[int]]]:
    """Return the source that holds all changes, and which of them each of its lines belongs to.

    Each change begins a line of its own, so that a compiler's message tells which one it does
    not take.
    """
    raw = source.encode("utf-8", "surrogateescape")
    order = sorted(
        changes,
        key=lambda number: (changes[number].begin, -changes[number].end, number),
    )
    grouped = [
        (place, list(numbers))
        for place, numbers in groupby(
            order, key=lambda number: (changes[number].begin, changes[number].end)
        )
    ]
    pieces = list(_woven(raw, 0, len(raw), grouped, changes, frozenset()))
    text, line = [], 1
    lines: dict[int, frozenset[int]] = {}
    for piece, numbers in pieces:
        text.append(piece)
        for _ in range(piece.count("\n") + 1):
            lines[line] = lines.get(line, frozenset()) | numbers
            line += 1
        line -= 1
    return "".join(text), lines


ChangeGroup = tuple[tuple[int, int], list[int]]


def _woven(
    raw: bytes,
    begin: int,
    end: int,
    groups: Sequence[ChangeGroup],
    changes: Mapping[int, Change],
    within: frozenset[int],
) -> Iterator[tuple[str, frozenset[int]]]:
    at, index = begin, 0
    while index < len(groups):
        (first, last), numbers = groups[index]
        inner = index + 1
        while inner < len(groups) and groups[inner][0][0] < last:
            inner += 1
        yield _decoded(raw[at:first]), within
        yield "\n(", frozenset(numbers)
        for number in numbers:
            yield f"KS_MUTANT({number}) ? ({changes[number].text})", frozenset({number})
            yield "\n:", frozenset()
        yield "(", frozenset()
        yield from _woven(
            raw, first, last, groups[index + 1 : inner], changes, frozenset(numbers)
        )
        yield "))\n", frozenset()
        at, index = last, inner
    yield _decoded(raw[at:end]), within


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _of_constants(source: str, changes: Mapping[int, Change]) -> set[int]:
    """Return the changes on lines that may define a constant, which other lines ask for."""
    written = source.split("\n")
    return {
        number
        for number, change in changes.items()
        if "const" in written[change.line - 1]
    }


def _refused(
    said: Iterable[Diagnostic], lines: Mapping[int, frozenset[int]]
) -> set[int]:
    """Return the changes that a compiler complains of; where its errors name none, those that
    its notes name.
    """
    errors, notes = set[int](), set[int]()
    for each in said:
        if each.path == _UNIT:
            (errors if each.severity in ("error", "fatal") else notes).update(
                lines.get(each.line, ())
            )
    return errors or notes
