"""Read kernels of known truth: small projects, each correct and with planted defects.

A file begins with a block for each defect, and is correct without them:

    //: defect reads-the-right-neighbour: out-of-bounds
    //- y[i] = a * x[i];
    //+ y[i] = a * x[i + 1];

Behind the colon stand the codes that name the defect, separated by `|`. Lines with `-` stand once
in the file, from their first word on; those with `+` take their place. A defect may change
several places. A line `//: file NAME` begins another file of the project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

CASES: Final = Path(__file__).parents[2] / "tests" / "truth" / "cases"
CORRECT: Final = "correct"
_CONTINUATION: Final = re.compile(r"^//: file (\S+)\n", re.MULTILINE)
_Change = tuple[str, str]
"""The lines that stand in the file, and those that take their place."""
_DEFECT: Final = re.compile(r"//: defect ([\w-]+): ([\w|-]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthCase:
    """A project whose kernel is correct, or has one planted defect."""

    topic: str
    file: str
    """Name of the file, with its suffix."""
    variant: str
    """Name of the defect, or `correct`."""
    codes: frozenset[str]
    """Codes that name the defect; none where the kernel is correct."""
    text: str
    other_files: tuple[tuple[str, str], ...] = ()
    """Names and texts of what stands beside the file, such as a header."""

    @property
    def name(self) -> str:
        """Return what reports call it: `bounds/saxpy_main.cu: reads-the-right-neighbour`."""
        return f"{self.topic}/{self.file}: {self.variant}"

    @property
    def is_correct(self) -> bool:
        """Tell whether the kernel has no defect."""
        return not self.codes


def read_truth_cases(folder: Path = CASES) -> list[TruthCase]:
    """Return all cases, those of a file side by side, the correct one first.

    Raises `ValueError` for a defect whose lines do not stand once in its file.
    """
    files = sorted(path for path in folder.glob("*/*") if path.is_file())
    return [case for path in files for case in read_file_cases(path)]


def read_file_cases(path: Path) -> list[TruthCase]:
    """Return the cases of one file, as `read_truth_cases` does."""
    lines = path.read_text().splitlines(keepends=True)
    body_begin = next(
        number for number, line in enumerate(lines) if not line.startswith("//")
    )
    body, *rest = _CONTINUATION.split("".join(lines[body_begin:]))
    other_files = tuple(zip(rest[::2], rest[1::2], strict=True))

    def make_case(variant: str, codes: frozenset[str], text: str) -> TruthCase:
        return TruthCase(
            topic=path.parent.name,
            file=path.name,
            variant=variant,
            codes=codes,
            text=text,
            other_files=other_files,
        )

    cases = [make_case(CORRECT, frozenset(), body)]
    for variant, codes, changes in _iter_defects(lines[:body_begin]):
        text = body
        for old_text, new_text in changes:
            if body.count(old_text) != 1:
                raise ValueError(
                    f"{path.name}: {variant} does not stand once: {old_text}"
                )
            text = text.replace(old_text, new_text)
        cases.append(make_case(variant, codes, text))

    return cases


def _iter_defects(
    lines: list[str],
) -> Iterator[tuple[str, frozenset[str], list[_Change]]]:
    """Yield name, codes and changes of each defect that a file's head describes."""
    blocks: list[list[str]] = []
    for line in lines:
        if line.startswith("//:"):
            blocks.append([])
        blocks[-1].append(line.rstrip("\n"))

    for head, *changes in blocks:
        defect = _DEFECT.fullmatch(head)
        if defect is None:
            raise ValueError(f"no head of a defect: {head}")

        yield defect[1], frozenset(defect[2].split("|")), list(_iter_changes(changes))


def _iter_changes(lines: list[str]) -> Iterator[_Change]:
    """Yield each run of lines with `-` with the lines with `+` behind it."""
    marked = [(line[:3], line[3:].removeprefix(" ")) for line in lines]
    runs = [
        "\n".join(text for _, text in run)
        for _, run in groupby(marked, key=itemgetter(0))
    ]
    if [mark for mark, _ in groupby(marked, key=itemgetter(0))] != [
        "//-",
        "//+",
    ] * (len(runs) // 2):
        raise ValueError(f"no lines with `-` and `+` in turns: {lines}")

    yield from zip(runs[::2], runs[1::2], strict=True)
