"""Parse clang's coverage mapping: code regions, branches, and the counters that show which were
taken.

Source: LLVM's "Code Coverage Mapping Format"; the text is what clang prints with
`-dump-coverage-mapping`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

# what clang dumps: a region a line, with the sum of its counters, which is then read term by term
_REGION: Final = re.compile(
    r"  (?:(?P<kind>Branch|Expansion|Gap|Skipped|Decision),)?(?:M:\d+ )?File (?P<file>\d+), "
    r"(?P<line>\d+):(?P<column>\d+) -> (?P<end_line>\d+):(?P<end_column>\d+)"
    r" = (?P<count>[^()\n]*(?:\(.*\))?[^\n]*)"
)
_EXPANDED_FILE: Final = re.compile(r"\(Expanded file = (\d+)\)")
_COUNTER_TERM: Final = re.compile(
    r"\s*(?:#(?P<counter>\d+)|(?P<number>\d+)|(?P<sign>[()+-]))"
)
# the name of a function there: that of its file stands in front where it is static
_FILE_PREFIX: Final = re.compile(r"^([^:]*):(?!:)")
_MAX_TERMS: Final = 2000
"""Tokens of one expression of counters."""
_MAX_EXPANSIONS: Final = 64
_UNIT_FILE: Final = "0"
SourcePosition = tuple[int, int]
BranchKey = tuple[tuple[SourcePosition, ...], SourcePosition, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeRegion:
    """A stretch of the unit that one counter counts."""

    begin: SourcePosition
    end: SourcePosition
    count: str
    """An expression of counters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRegion(CodeRegion):
    """A stretch of the unit that says whether its lines ran."""

    is_gap: bool
    """Only from one statement to the next: it has no code of its own."""
    is_skipped: bool
    """What the preprocessor leaves out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One way that a condition may go."""

    place: tuple[SourcePosition, ...]
    """Line and column in the unit, then within each macro that it stands in."""
    end: SourcePosition
    way: bool
    count: str
    """An expression of counters."""

    @property
    def line(self) -> int:
        """Return its line of the unit."""
        return self.place[0][0]

    @property
    def key(self) -> BranchKey:
        """Return what it shares with the same branch of other instantiations."""
        return self.place, self.end, self.way


def parse_branches(mapping_text: str) -> dict[int, tuple[Branch, ...]]:
    """Return the branches of each function by the digest of its name, without those that a
    constant decides.
    """
    return {
        digest: tuple(_iter_branches(regions))
        for digest, regions in _iter_functions(mapping_text)
    }


def parse_code_regions(mapping_text: str) -> dict[int, tuple[CodeRegion, ...]]:
    """Return the regions of each function that stand in the unit itself, by the digest of its
    name.
    """
    return {
        digest: tuple(_iter_code_regions(regions))
        for digest, regions in _iter_functions(mapping_text)
    }


def parse_line_regions(mapping_text: str) -> dict[int, tuple[LineRegion, ...]]:
    """Return, by the digest of each function's name, the regions by which its lines are told to
    have run, those round others first.
    """
    return {
        digest: tuple(
            sorted(
                _iter_line_regions(regions),
                key=lambda region: (region.begin, tuple(-each for each in region.end)),
            )
        )
        for digest, regions in _iter_functions(mapping_text)
    }


def function_name_digest(name: str) -> int:
    """Return by what a function's counters are known: the low half of its name's MD5."""
    content = name.encode("utf-8", "surrogateescape")
    digest = hashlib.md5(content, usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "little")


def find_taken_branches(
    branches_by_function: Mapping[int, tuple[Branch, ...]],
    counters_by_function: Iterable[tuple[int, tuple[int, ...]]],
) -> Iterator[Branch]:
    """Yield the branches that these counters show to have been taken."""
    for function, counters in counters_by_function:
        for branch in branches_by_function.get(function, ()):
            if evaluate_counter(branch.count, counters) > 0:
                yield branch


def evaluate_counter(expression: str, counters: tuple[int, ...]) -> int:
    """Return what an expression such as `((#0 + #2) - #1)` amounts to; what is not understood
    is 0.
    """
    total = 0
    sign = 1
    # of each bracket that is open, with all round it
    outer_signs = [1]

    for number, term in enumerate(_COUNTER_TERM.finditer(expression)):
        if number > _MAX_TERMS:
            return 0

        if term["counter"]:
            counter = int(term["counter"])
            value = counters[counter] if counter < len(counters) else 0
            total += sign * outer_signs[-1] * value
        elif term["number"]:
            total += sign * outer_signs[-1] * int(term["number"])
        elif term["sign"] == "(":
            outer_signs.append(outer_signs[-1] * sign)
            sign = 1
        elif term["sign"] == ")":
            outer_signs = outer_signs[:-1] or [1]
        else:
            sign = -1 if term["sign"] == "-" else 1

    return total


def _iter_functions(mapping_text: str) -> Iterator[tuple[int, list[re.Match[str]]]]:
    """Yield the regions of each function by the digest of its name."""
    for name, lines in _iter_sections(mapping_text):
        regions: list[re.Match[str]] = []
        for line in lines:
            region = _REGION.fullmatch(line)
            if region:
                regions.append(region)

        # what is local to a file has its name in front, which LLVM 18 parts by `;`, not by `:`
        for spelling in {name, _FILE_PREFIX.sub(r"\1;", name)}:
            yield function_name_digest(spelling), regions


def _iter_sections(mapping_text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each function's name with the lines below it."""
    name = ""
    lines: list[str] = []

    for line in mapping_text.splitlines():
        if line.startswith("  "):
            lines.append(line)
        elif line.endswith(":"):
            if name:
                yield name, lines

            name = line[:-1]
            lines = []

    if name:
        yield name, lines


def _iter_code_regions(regions: Iterable[re.Match[str]]) -> Iterator[CodeRegion]:
    for region in regions:
        if region["kind"] or region["file"] != _UNIT_FILE:
            continue
        yield CodeRegion(
            begin=_begin_of(region), end=_end_of(region), count=region["count"]
        )


def _iter_line_regions(regions: Iterable[re.Match[str]]) -> Iterator[LineRegion]:
    for region in regions:
        kind = region["kind"] or ""
        if kind in ("", "Gap", "Skipped") and region["file"] == _UNIT_FILE:
            yield LineRegion(
                begin=_begin_of(region),
                end=_end_of(region),
                count=region["count"],
                is_gap=kind == "Gap",
                is_skipped=kind == "Skipped",
            )


def _iter_branches(regions: list[re.Match[str]]) -> Iterator[Branch]:
    expansions: dict[str, re.Match[str]] = {}
    for region in regions:
        if region["kind"] != "Expansion":
            continue
        expanded = _EXPANDED_FILE.search(region["count"])
        if expanded:
            expansions[expanded[1]] = region

    for region in regions:
        end = _end_of(region)
        # a region of no width stands for a macro of ours, such as `assert`
        if region["kind"] != "Branch" or _begin_of(region) == end:
            continue

        place = _find_place(region, expansions)
        counts = region["count"].split(", ")

        for way, count in zip((True, False), counts, strict=False):
            if count != "0":
                yield Branch(place=place, end=end, way=way, count=count)


def _find_place(
    region: re.Match[str], expansions: Mapping[str, re.Match[str]]
) -> tuple[SourcePosition, ...]:
    """Return where a region stands in the unit, then within each macro round it."""
    positions = [_begin_of(region)]
    file = region["file"]

    # a macro may expand within another: each is a file of its own in the mapping
    while file in expansions and len(positions) < _MAX_EXPANSIONS:
        positions.append(_begin_of(expansions[file]))
        file = expansions[file]["file"]

    return tuple(reversed(positions))


def _begin_of(region: re.Match[str]) -> SourcePosition:
    return int(region["line"]), int(region["column"])


def _end_of(region: re.Match[str]) -> SourcePosition:
    return int(region["end_line"]), int(region["end_column"])
