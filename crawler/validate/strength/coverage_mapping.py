"""Parse clang's coverage mapping: code regions, branches, and the counters that show which were
taken.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_REGION: Final = re.compile(
    r"  (?:(?P<kind>Branch|Expansion|Gap|Skipped|Decision),)?(?:M:\d+ )?File (?P<file>\d+), "
    r"(?P<line>\d+):(?P<column>\d+) -> (?P<end_line>\d+):(?P<end_column>\d+) = (?P<count>[^()\n]*(?:\(.*\))?[^\n]*)"
)
_EXPANDED: Final = re.compile(r"\(Expanded file = (\d+)\)")
_TERM: Final = re.compile(r"\s*(?:#(?P<counter>\d+)|(?P<number>\d+)|(?P<sign>[()+-]))")
_DEEPEST: Final = 2000
"""Tokens of one expression of counters."""
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
    return {digest: tuple(_branches(told)) for digest, told in _told(mapping_text)}


def parse_code_regions(mapping_text: str) -> dict[int, tuple[CodeRegion, ...]]:
    """Return the regions of each function that stand in the unit itself, by the digest of its
    name.
    """
    return {digest: tuple(_regions(told)) for digest, told in _told(mapping_text)}


def _told(regions: str) -> Iterator[tuple[int, list[re.Match[str]]]]:
    for name, lines in _functions(regions):
        told = [match for match in map(_REGION.fullmatch, lines) if match]
        for spelled in {name, re.sub(r"^([^:]*):(?!:)", r"\1;", name)}:
            yield function_name_digest(spelled), told


def _regions(told: Iterable[re.Match[str]]) -> Iterator[CodeRegion]:
    for region in told:
        if not region["kind"] and region["file"] == "0":
            end = int(region["end_line"]), int(region["end_column"])
            yield CodeRegion(begin=_place(region), end=end, count=region["count"])


def function_name_digest(name: str) -> int:
    """Return by what a function's counters are known: the low half of its name's MD5."""
    return int.from_bytes(
        hashlib.md5(
            name.encode("utf-8", "surrogateescape"), usedforsecurity=False
        ).digest()[:8],
        "little",
    )


def find_taken_branches(
    branches_by_function: Mapping[int, tuple[Branch, ...]],
    counters_by_function: Iterable[tuple[int, tuple[int, ...]]],
) -> Iterator[Branch]:
    """Yield the branches that these counters show to have been taken."""
    for name, counters in counters_by_function:
        for branch in branches_by_function.get(name, ()):
            if evaluate_counter(branch.count, counters) > 0:
                yield branch


def evaluate_counter(expression: str, counters: tuple[int, ...]) -> int:
    """Return what an expression such as `((#0 + #2) - #1)` amounts to; what is not understood
    is 0.
    """
    total, signs, sign = 0, [1], 1
    for number, found in enumerate(_TERM.finditer(expression)):
        if number > _DEEPEST:
            return 0
        if found["counter"]:
            at = int(found["counter"])
            total += sign * signs[-1] * (counters[at] if at < len(counters) else 0)
        elif found["number"]:
            total += sign * signs[-1] * int(found["number"])
        elif found["sign"] == "(":
            signs.append(signs[-1] * sign)
            sign = 1
        elif found["sign"] == ")":
            signs[:] = signs[:-1] or [1]
        else:
            sign = -1 if found["sign"] == "-" else 1
    return total


def _functions(regions: str) -> Iterator[tuple[str, list[str]]]:
    name, lines = "", list[str]()
    for line in regions.splitlines():
        if line.startswith("  "):
            lines.append(line)
        elif line.endswith(":"):
            if name:
                yield name, lines
            name, lines = line[:-1], []
    if name:
        yield name, lines


def _branches(told: list[re.Match[str]]) -> Iterator[Branch]:
    opened = {}
    for region in told:
        inner = (
            _EXPANDED.search(region["count"]) if region["kind"] == "Expansion" else None
        )
        if inner:
            opened[inner[1]] = region
    for region in told:
        begin, end = (
            _place(region),
            (int(region["end_line"]), int(region["end_column"])),
        )
        # a region of no width stands for a macro of ours, such as `assert`
        if region["kind"] != "Branch" or begin == end:
            continue
        place = _within(region, opened)
        for way, count in zip((True, False), region["count"].split(", "), strict=False):
            if count != "0":
                yield Branch(place=place, end=end, way=way, count=count)


def _within(
    region: re.Match[str], opened: Mapping[str, re.Match[str]]
) -> tuple[SourcePosition, ...]:
    places = [_place(region)]
    file = region["file"]
    while file in opened and len(places) < 64:
        places.insert(0, _place(opened[file]))
        file = opened[file]["file"]
    return tuple(places)


def _place(region: re.Match[str]) -> SourcePosition:
    return int(region["line"]), int(region["column"])
