"""How far, as a program prints, what a device computes lies from what its host computes.

Many a program says `largest difference between CPU and GPU: 1.4e-07` and leaves it to its reader
whether that is little. What it would print if the kernel had left zeros says how large it may be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from crawler.validate.programs.runs.program_runs import ProgramRun

# a line that a program prints: a word for what is compared, and one for what it is compared with
_COMPARED: Final = re.compile(
    r"\b(?:diff|difference|error|err|deviation|discrepancy)s?\b", re.IGNORECASE
)
_REFERENCE: Final = re.compile(
    r"\b(?:cpu|host|reference|ref|gold|golden|exact|expected|serial|sequential)\b",
    re.IGNORECASE,
)
# the only number of such a line, behind all words
_NUMBER: Final = re.compile(
    r"^(?P<words>[^\d]*[^\d.\w+-])(?P<number>\d+(?:\.\d*)?(?:e[+-]?\d+)?)\W*$",
    re.IGNORECASE,
)
_MAX_LINE_LENGTH: Final = 300
_MAX_LINES: Final = 1000
_FAR: Final = 0.03
"""Part of what zeros in place of all results would differ by."""


def quote_far_difference(
    runs: tuple[ProgramRun, ...], run_without_results: Callable[[], ProgramRun]
) -> str:
    """Return the line in which a program says that its results are far from what its host
    computes, the same in all `runs`; empty where none does.

    `run_without_results` runs it with kernels that do nothing, on memory that holds zeros.
    """
    first, *others = [_read_differences(run) for run in runs]
    differences = {
        words: number
        for words, number in first.items()
        if number > 0 and all(other.get(words) == number for other in others)
    }
    if not differences:
        return ""

    largest = _read_differences(run_without_results())
    for words, number in differences.items():
        most = largest.get(words, 0.0)
        # a number that does not change says nothing of what kernels leave
        if most != number and number >= _FAR * most > 0:
            return f"{words.strip()} {number:g}, and {most:g} if they left zeros"

    return ""


def _read_differences(run: ProgramRun) -> Mapping[str, float]:
    """Return the numbers that a run prints as differences, by the words in front of them; none
    where words come twice.
    """
    numbers: dict[str, float] = {}
    doubtful: set[str] = set()
    for words, number in _iter_differences(run):
        if words in numbers:
            doubtful.add(words)
        numbers[words] = number

    return {words: numbers[words] for words in numbers.keys() - doubtful}


def _iter_differences(run: ProgramRun) -> Iterator[tuple[str, float]]:
    for line in run.output.splitlines()[-_MAX_LINES:]:
        if len(line) > _MAX_LINE_LENGTH:
            continue

        matched = _NUMBER.match(line)
        if matched is None:
            continue

        words = matched["words"]
        if _COMPARED.search(words) and _REFERENCE.search(words):
            number = float(matched["number"])
            if math.isfinite(number):
                yield words, number
