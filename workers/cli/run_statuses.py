"""How a command shows the status of a run: some statuses say less than they seem to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


def spell_out_status(status: str) -> str:
    """Return a status of a run, with what it means where that is less than it seems."""
    return f"{status}{_bracket_meaning(status)}"


def describe_run_counts(counts: Mapping[str, int]) -> str:
    """Return statuses of runs with their numbers, spelled out as `spell_out_status` does."""
    return ", ".join(
        f"{status} {number}{_bracket_meaning(status)}"
        for status, number in counts.items()
    )


def iter_status_notes(statuses: Iterable[str]) -> Iterator[str]:
    """Yield a line for each distinct status among `statuses` that says less than it seems to."""
    for status in sorted(set(statuses)):
        meaning = _find_meaning(status)
        if meaning:
            yield f"{status}: {meaning}"


def _bracket_meaning(status: str) -> str:
    meaning = _find_meaning(status)
    return f" [{meaning}]" if meaning else ""


def _find_meaning(status: str) -> str:
    """Return what a status means that seems to say more; empty for any other."""
    from crawler.model import Status

    if status not in (Status.CONSISTENT, Status.CONDITIONAL):
        return ""
    return Status(status).run_meaning
