"""Count what a package gives: kernels, units, those that compile, and why others do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from benchmarks.corpus.recall import measure_recall
from benchmarks.extraction.launches import count_known_launches
from benchmarks.kernel_units.front_end_verdicts import classify_failure
from benchmarks.kernel_units.units_report import SUMMED_COLUMNS
from crawler.model import Kernel, Layer


def count_results(
    kernels: Sequence[Kernel],
    verdicts: dict[str, str],
    package: str,
    pairs: set[tuple[str, str]],
) -> dict[str, Any]:
    """Return the columns of a package: recall against the true list `pairs`, and yields."""
    messages = [
        (kernel, classify_failure(kernel.unit, verdicts[kernel.unit.digest]))
        for kernel in kernels
        if kernel.unit
    ]
    files = [kernel for kernel in kernels if kernel.found_by is not Layer.STRING]
    good = [kernel for kernel, message in messages if not message]
    return {
        **_count_recall(kernels, verdicts, package, pairs),
        "kernels": len(files),
        "by_ast": sum(kernel.found_by is Layer.AST for kernel in files),
        "units": sum(kernel.unit is not None for kernel in files),
        "compile": sum(kernel.found_by is not Layer.STRING for kernel in good),
        "quoted": len(kernels) - len(files),
        "quoted_compile": sum(kernel.found_by is Layer.STRING for kernel in good),
        "stored": dict(_count_failures(files, messages)),
        "broken": [
            f"{kernel.span.path}:{kernel.name}: {message}"
            for kernel, message in messages
            if message
        ],
        "reasons": [
            f"{kernel.span.path}:{kernel.name}: {kernel.unit_problem}"
            for kernel in kernels
            if not kernel.unit
        ],
        **{
            name: number
            for name, number in count_known_launches(kernels).items()
            if name in SUMMED_COLUMNS
        },
    }


def _count_recall(
    kernels: Sequence[Kernel],
    verdicts: dict[str, str],
    package: str,
    pairs: set[tuple[str, str]],
) -> dict[str, Any]:
    rows = []
    compiling_rows = []
    for kernel in kernels:
        row = {
            "name": kernel.name,
            "path": kernel.span.path,
            "found_by": kernel.found_by.value,
        }
        rows.append(row)
        if kernel.unit and not verdicts[kernel.unit.digest]:
            compiling_rows.append(row)

    recall = measure_recall(rows, package, pairs=pairs)
    compiling = measure_recall(compiling_rows, package, pairs=pairs)
    return {
        "truth": recall.truth,
        "found": recall.found,
        "true_by_ast": recall.by_ast,
        "true_compile": compiling.found,
        "missing": recall.missing[:20],
        "unknown": recall.unknown,
    }


def _count_failures(
    files: Sequence[Kernel], messages: Sequence[tuple[Kernel, str]]
) -> Counter[str]:
    """Return why kernels outside of strings have no unit that compiles, by code."""
    codes = Counter(
        kernel.unit_problem.partition(":")[0] for kernel in files if not kernel.unit
    )
    codes += Counter(
        message.partition(":")[0]
        for kernel, message in messages
        if message and kernel.found_by is not Layer.STRING
    )
    return codes
