"""Figures of projects at first sight, kept for good, and those of later sights beside them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.json_lines import read_json_lines

Sight = dict[str, Any]
"""What one crawl of a project gave: see `measure_project` in `unseen`."""
TARGETS = ("sm_80", "gfx90a")
_SUMMED = ("true", "found", "by_ast", "kernels", "hip", "units", "seconds")
_UNJUDGED = frozenset({"skipped", "unsupported", "unportable"})


def append_sight(path: Path, sight: Sight) -> None:
    """Append a project's figures; the first of a project stay its first for good."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as opened:
        opened.write(json.dumps(sight, sort_keys=True) + "\n")


def read_sights(path: Path) -> dict[str, list[Sight]]:
    """Return the figures of each project, oldest first."""
    sights: dict[str, list[Sight]] = {}
    for sight in read_json_lines(path):
        sights.setdefault(sight["project"], []).append(sight)
    return sights


def format_report(sights: dict[str, list[Sight]]) -> list[str]:
    """Return the table of first sights, worst first, and the same projects' latest figures."""
    firsts = [history[0] for history in sights.values() if _has_kernels(history[0])]
    latest = {name: history[-1] for name, history in sights.items() if len(history) > 1}
    empty = [name for name, history in sights.items() if not _has_kernels(history[0])]
    firsts.sort(key=lambda sight: compiled_share(sight, TARGETS[0]))

    columns = ["project", "true", "found", "by AST", "units"]
    columns += [f"compile for {target}" for target in TARGETS]
    columns += [
        "with its headers, sm_80",
        "same code, sm_80",
        "rungs",
        "unit lines : kernel's",
        "seconds",
        "reasons",
    ]
    rows = [_format_row(sight) for sight in [*firsts, sum_sights(firsts)]]
    lines = ["## At first sight", "", *report.format_table(columns, rows)]
    for sight in firsts:
        lines += _format_failures(sight)
    if empty:
        lines += ["", f"Without a kernel of their own: {', '.join(sorted(empty))}."]
    if latest:
        after = [_format_row(sight) for _, sight in sorted(latest.items())]
        lines += ["", "## Again, after something was mended for them", ""]
        lines += report.format_table(columns, after)
    return lines


def _format_failures(sight: Sight) -> list[str]:
    failures = sight.get("failures", [])
    if not failures:
        return []

    items = [f"- {failure}" for failure in failures]
    return ["", f"{sight['project']}:", "", *items]


def sum_sights(sights: Iterable[Sight]) -> Sight:
    """Return figures of all these projects together."""
    total: Sight = {"project": "all", "reasons": {}, "targets": {}}
    for name in _SUMMED:
        total[name] = 0
    reasons: Counter[str] = Counter()
    rungs: Counter[str] = Counter()
    targets: dict[str, Counter[str]] = {target: Counter() for target in TARGETS}
    agreements: Counter[str] = Counter()
    for sight in sights:
        for name in _SUMMED:
            total[name] += sight[name]
        if not sight["kernels"]:
            total["kernels"] += sight["true"]
        reasons.update(sight["reasons"])
        rungs.update(sight.get("rungs", {}))
        agreements.update(sight.get("fidelity", {}).get(TARGETS[0], {}))
        for target in TARGETS:
            targets[target].update(sight["targets"].get(target, {}))
    return {
        **total,
        "reasons": dict(reasons.most_common()),
        "rungs": dict(rungs.most_common()),
        "fidelity": {TARGETS[0]: dict(agreements)},
        "targets": targets,
    }


def compiled_share(sight: Sight, target: str) -> float:
    """Return the share of a project's kernels whose unit compiles, of those that can be judged.

    A kernel without a unit counts as one that does not compile.
    """
    passed, judged = _count_outcomes(sight, target)
    return passed / judged if judged else 0.0


def _has_kernels(sight: Sight) -> bool:
    """Tell whether a project has kernels, whether or not its crawl came so far as to find them."""
    return bool(sight["kernels"] or sight["true"])


def _count_outcomes(sight: Sight, target: str) -> tuple[int, int]:
    statuses = sight["targets"].get(target, {})
    unjudged = sum(statuses.get(status, 0) for status in _UNJUDGED)
    # a kernel that was written in HIP is never compiled for CUDA's devices
    foreign = sight["hip"] if target.startswith("sm_") else 0
    # a crawl that ran out of time has indexed none
    kernels = sight["kernels"] or sight["true"]
    return statuses.get("pass", 0), kernels - foreign - unjudged


def _format_row(sight: Sight) -> Sequence[object]:
    shares = []
    for target in TARGETS:
        passed, judged = _count_outcomes(sight, target)
        share = f"{passed} of {judged} ({compiled_share(sight, target):.0%})"
        shares.append(share if judged else "none to judge")

    reasons = ", ".join(f"{code} {count}" for code, count in sight["reasons"].items())
    names = ("project", "true", "found", "by_ast", "units")
    return [
        *(sight[name] for name in names),
        *shares,
        _format_share_with_headers(sight),
        _format_fidelity(sight),
        ", ".join(f"{rung} {count}" for rung, count in sight.get("rungs", {}).items()),
        sight.get("unit_ratio") or "",
        f"{sight['seconds']:.0f}",
        reasons or "none",
    ]


def _format_share_with_headers(sight: Sight) -> str:
    """Return the share of those for the first target whose headers the tree has."""
    if "absent" not in sight:
        return ""
    passed, judged = _count_outcomes(sight, TARGETS[0])
    present = judged - sight["absent"].get(TARGETS[0], 0)
    return f"{passed} of {present} ({passed / present:.0%})" if present > 0 else ""


def _format_fidelity(sight: Sight) -> str:
    """Return how many of the comparable units have the code of their translation unit."""
    agreements = sight.get("fidelity", {}).get(TARGETS[0], {})
    same = agreements.get("identical", 0) + agreements.get("equivalent", 0)
    comparable = same + agreements.get("different", 0)
    return f"{same} of {comparable} ({same / comparable:.0%})" if comparable else ""
