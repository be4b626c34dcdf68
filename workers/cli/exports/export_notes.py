"""Say what an export leaves out, and which option takes it in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.cli.terminal import escape_line, print_note

if TYPE_CHECKING:
    from crawler.dataset.selection.skip_counts import SkipCounts
    from crawler.model import LicenceClass


def print_skip_counts(
    skip_counts: SkipCounts, licence_classes: frozenset[LicenceClass]
) -> None:
    """Print on standard error how many kernels were left out, and why."""
    from crawler.dataset.selection.skip_counts import SkipReason

    reasons: list[str] = []
    wanted_classes: list[str] = sorted(licence_classes)
    skipped_by_licence = 0

    for licence_class, spdx, number in skip_counts.list_licences():
        skipped_by_licence += number
        reasons.append(f"{number} {spdx} ({licence_class})")
        if licence_class not in wanted_classes:
            wanted_classes.append(licence_class)

    if reasons:
        listed = escape_line(", ".join(reasons))
        print_note(
            f"left out {skipped_by_licence} kernels for their licence: {listed};"
            f" `--licence {','.join(wanted_classes)}` takes them, too"
        )

    opted_out = skip_counts.count(SkipReason.OPTED_OUT)
    if opted_out:
        print_note(f"left out {opted_out} kernels that opted out; see `optouts`")

    copies = skip_counts.count(SkipReason.COPY)
    if copies:
        print_note(
            f"left out {copies} near copies of other kernels; `--copies` takes them, too"
        )

    contaminated = skip_counts.count(SkipReason.IN_BENCHMARK)
    if contaminated:
        print_note(
            f"left out {contaminated} kernels that a benchmark has;"
            " `--contamination-report FILE` lists them"
        )
