"""How a command says what the cases of a suite can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from crawler.model import Strength


def describe_branches(strength: Strength) -> str:
    """Say how many branches the cases take, and on which lines of the unit the others are."""
    reached = f"{strength.branches_reached} of {strength.branches}"
    if not strength.unreached:
        return reached
    lines = _list_lines(strength.unreached)
    return f"{reached}: no case takes the others, on {lines} of the unit"


def describe_mutants(strength: Strength) -> str:
    """Say how many mutants of the kernel the cases tell from the kernel itself, and on which
    lines of the unit some others are.
    """
    killed = f"{strength.killed} of {strength.mutants} told from the kernel"
    if not strength.survivors:
        return killed
    lines = _list_lines(dict.fromkeys(change.line for change in strength.survivors))
    return f"{killed}: others change {lines} of the unit"


def describe_spread(spread: Mapping[str, float]) -> str:
    """Say which share of its mutants the middle unit tells, and the tenth part that tells least."""
    return (
        f"mutants killed: median {100 * spread['median']:.0f} %,"
        f" p10 {100 * spread['p10']:.0f} %"
    )


def _list_lines(numbers: Collection[int]) -> str:
    noun = "line" if len(numbers) == 1 else "lines"
    return f"{noun} {', '.join(map(str, numbers))}"
