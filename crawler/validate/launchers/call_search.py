"""Read what a search for calls of a launcher found, and which calls the launcher accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from crawler.validate.programs.runs.program_runs import ProgramRun

_MIN_EVALUATIONS: Final = 30
"""Ways to fit arguments together that are tried before what goes wrong in all of them is held to
be a fault.
"""
# a project's own code may print such a line, too, with more digits than a number may have
_FOUND: Final = re.compile(
    r"^kernelset-call (clean|faulty|open|refused|none)"
    r" (\d{1,10}) (\d{1,10}) (\d{1,10}) (\d{1,10}) ([\d,]*)$",
    re.MULTILINE,
)
_CHECKED: Final = 1
_MEASURED: Final = 2
"""Bits of the third number of such a line."""
_NONE: Final = "none"
_REFUSED: Final = "refused"
"""None either, and some came to a dispatch whose case for a tensor's type was not compiled."""
# lines that our own program prints, one for each call
_CALL: Final = re.compile(r"^kernelset-test (\d{1,10}) ([012]) (.*)$", re.MULTILINE)
_REFUSED_CALL: Final = "0"
_CHECKED_CALL: Final = "2"
_MAX_CALL_LENGTH: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCall:
    """The choices that a search ended with, and what the calls made by them showed."""

    choices: str
    """Numbers separated by commas."""
    accepted: int
    """Instances that the launcher accepts, a bit each."""
    clean: int
    """Those of them in which nothing goes wrong, likewise."""
    is_checked: bool
    """Whether the launcher checks the shape of each tensor that it is given."""
    is_measured: bool = False
    """Whether it does, or asks for all of the shape."""
    suits_zeros: bool
    """Whether nothing goes wrong where all whole numbers in tensors are zero: what does may be for
    want of indices as they are meant.
    """
    evaluations: int
    """Ways to fit the arguments together that were tried, each in all its instances."""

    @property
    def call(self) -> str:
        """What the program is asked to do."""
        return f"{self.accepted},{self.choices}"

    @property
    def accepted_count(self) -> int:
        """How many instances the launcher accepts."""
        return self.accepted.bit_count()

    @property
    def clean_count(self) -> int:
        """In how many of them nothing goes wrong."""
        return self.clean.bit_count()

    def keep_clean_instances(self) -> FoundCall:
        """Return the same choices for those instances in which nothing goes wrong."""
        return self.limit_instances(self.clean)

    def limit_instances(self, instances: int) -> FoundCall:
        """Return the same choices for those of its instances that `instances` has a bit of."""
        return replace(self, accepted=self.accepted & instances)

    @property
    def is_clean(self) -> bool:
        """Whether nothing goes wrong in any of its instances."""
        return self.clean_count == self.accepted_count

    @property
    def is_telling(self) -> bool:
        """Whether what goes wrong is the kernel's: a launcher that checks the shapes of what it is
        given lets these calls through, and no other way to fit arguments together does better.
        """
        are_tried = self.clean_count > 0 or self.evaluations >= _MIN_EVALUATIONS
        return self.is_checked and are_tried and not self.suits_zeros


def read_found_call(run: ProgramRun) -> FoundCall | None:
    """Return the last call that a search found; `None` where the launcher accepts none."""
    matched = _find_last(run)
    if matched is None or matched[1] in (_NONE, _REFUSED):
        return None

    accepted, clean, is_checked, evaluations = (
        int(matched[group]) for group in range(2, 6)
    )
    return FoundCall(
        choices=matched[6],
        accepted=accepted,
        clean=clean,
        suits_zeros=matched[1] == "open",
        is_checked=bool(is_checked & _CHECKED),
        is_measured=bool(is_checked & _MEASURED),
        evaluations=evaluations,
    )


def wants_other_types(run: ProgramRun) -> bool:
    """Tell whether a search found no call, and one might be where more types are compiled."""
    matched = _find_last(run)
    return matched is not None and matched[1] == _REFUSED


def _find_last(run: ProgramRun) -> re.Match[str] | None:
    """Return the last line of a search: a clean call is told of before the search ends."""
    matches = list(_FOUND.finditer(run.output))
    return matches[-1] if matches else None


def are_all_accepted(run: ProgramRun, least: int) -> bool:
    """Tell whether there were so many calls or more, and the launcher accepted each."""
    accepted = [matched[2] != _REFUSED_CALL for matched in _CALL.finditer(run.output)]
    return len(accepted) >= least and all(accepted)


def read_accepted_calls(run: ProgramRun) -> Iterator[tuple[int, str]]:
    """Yield each call that the launcher accepted, behind its number."""
    for matched in _CALL.finditer(run.output):
        if matched[2] != _REFUSED_CALL:
            yield int(matched[1]), matched[3][:_MAX_CALL_LENGTH]


def list_checked_calls(run: ProgramRun) -> frozenset[int]:
    """Return the calls that the launcher accepted after it had looked at what each of its tensors
    of whole numbers holds: what it lets through its kernels have to bear.
    """
    return frozenset(
        int(matched[1])
        for matched in _CALL.finditer(run.output)
        if matched[2] == _CHECKED_CALL
    )
