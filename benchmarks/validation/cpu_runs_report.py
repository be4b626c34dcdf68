"""Summarise runs of kernels on the CPU and format the report of the `cpu_runs` benchmark."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks import report
from crawler.model import Behaviour, Kernel
from crawler.validate.cpu.suite import WANTED_CASES
from storage.index.derived_values import find_tenth

_GOOD = (Behaviour.DETERMINISTIC, Behaviour.ATOMIC_NONDETERMINISTIC)


def is_good(line: Mapping[str, Any]) -> bool:
    """Tell whether a run counts: its results are the same again, in six cases that tell
    something.
    """
    return line["behaviour"] in _GOOD and line["cases"] >= WANTED_CASES


def summarise_package(
    package: str, kernels: Sequence[Kernel], lines: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return how the kernels of a package behave, and why those that do not run do not; the
    last run of each counts.
    """
    last = list({line["unit"]: line for line in lines}.values())
    good = [line for line in last if is_good(line)]
    return {
        "package": package,
        "kernels": len(kernels),
        "without_unit": sum(1 for kernel in kernels if kernel.unit is None),
        "run": len(last),
        "good": len(good),
        "behaviours": dict(Counter(line["behaviour"] for line in last).most_common()),
        "codes": dict(
            Counter(
                f"{line['behaviour']}: {line['code']}"
                for line in last
                if line not in good
            ).most_common()
        ),
        "median_seconds": round(
            statistics.median([line["seconds"] for line in last]), 1
        )
        if last
        else 0,
        "processor": sorted(
            line["processor"] for line in last if line.get("processor")
        ),
        "strengths": [line for line in last if line.get("mutants", 0) > 0],
    }


def format_report(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Return the report's tables: what comes of each package, and why kernels fall short."""
    columns = (
        "Package",
        "units run",
        "with six cases",
        "share",
        *Behaviour,
        "median s",
    )
    rows = [
        (
            line["package"],
            line["run"],
            line["good"],
            f"{100 * line['good'] / max(1, line['run']):.0f} %",
            *(line["behaviours"].get(behaviour, 0) for behaviour in Behaviour),
            line["median_seconds"],
        )
        for line in lines
    ]
    reasons: Counter[str] = Counter()
    for line in lines:
        reasons.update(line["codes"])
    return [
        (
            "A kernel counts where it is deterministic, or not by atomics but within a "
            "measured tolerance, with six"
        ),
        (
            "cases that tell something. Nobody chose any input. The oracle is the same "
            "execution: no meaning is proven."
        ),
        "",
        *report.format_table(columns, rows),
        "",
        "Why others fall short:",
        "",
        *report.format_table(("Behaviour: code", "units"), reasons.most_common()),
        "",
        *_format_strength(lines),
    ]


def _format_strength(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield what the cases tell, where that was measured, and what a kernel costs."""
    columns = (
        "Package",
        "suites",
        "branches taken, median",
        "p10",
        "mutants killed, median",
        "p10",
        "unreached lines",
        "survivors",
    )
    rows = []
    for line in lines:
        strengths = line["strengths"]
        if strengths:
            taken_shares = [
                strength["reached"] / strength["branches"]
                for strength in strengths
                if strength["branches"]
            ]
            killed_shares = [
                strength["killed"] / strength["mutants"] for strength in strengths
            ]
            kinds = Counter(
                kind for strength in strengths for kind in strength["survivors"]
            )
            survivor_kinds = ", ".join(
                f"{kind} {count}" for kind, count in kinds.most_common()
            )
            unreached = sum(strength["unreached"] for strength in strengths)
            rows.append(
                (
                    line["package"],
                    len(strengths),
                    *_summarise_shares(taken_shares),
                    *_summarise_shares(killed_shares),
                    unreached,
                    survivor_kinds,
                )
            )
    if rows:
        yield "How much the cases tell; what leaves the machine code as it is counts as no mutant:"
        yield ""
        yield from report.format_table(columns, rows)
        yield ""
    for line in lines:
        if line["processor"]:
            median, count = statistics.median(line["processor"]), len(line["processor"])
            yield (
                f"{line['package']}: {median:.1f} s of the processor a kernel at the "
                f"median of {count}."
            )


def _summarise_shares(shares: Sequence[float]) -> tuple[str, str]:
    """Return the median and the p10 of shares as they are printed."""
    if not shares:
        return "none", "none"
    return (
        f"{100 * statistics.median(shares):.0f} %",
        f"{100 * find_tenth(shares):.0f} %",
    )
