"""Format the report of the `units` benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from benchmarks import report
from benchmarks.extraction.launches import HAS_ROW, UNEXPLAINED, format_reasons

SUMMED_COLUMNS: Final = (
    *("kernels", "by_ast", "units", "compile", "quoted", "quoted_compile"),
    *("of_templates", "with_types", "templates_mapped"),
)
_COUNTED: Final = (
    "files",
    "truth",
    "found",
    "true_by_ast",
    "true_compile",
    *SUMMED_COLUMNS,
)


def format_report(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Return what packages give as tables with their sum, and below them what does not compile."""
    sums = {name: sum(line[name] for line in lines) for name in _COUNTED}
    return [
        _format_shares(sums),
        *(_describe_sample(line) for line in lines if "sampled" in line),
        "",
        *_format_kernels(lines, sums),
        "",
        (
            "Launch tokens outside of comments and strings, counted by a scanner that shares "
            "nothing with the product's:"
        ),
        "",
        *_format_launches(lines),
        "",
        (
            "Kernels that neither the true list nor `benchmarks/truth/extra.tsv` knows, "
            "which count as false:"
        ),
        "",
        *(
            _format_items(
                f"{line['package']}: {item}"
                for line in lines
                for item in line["unknown"]
            )
            or ["- none"]
        ),
        "",
        "Files without an AST:",
        "",
        *(
            f"- {line['package']}: {_format_numbers(line['failed_files'])}"
            for line in lines
            if line["failed_files"]
        ),
        "",
        "Units that do not compile:",
        "",
        *_format_items(
            f"{line['package']}: {item}" for line in lines for item in line["broken"]
        ),
    ]


def _format_kernels(lines: Sequence[dict[str, Any]], sums: dict[str, int]) -> list[str]:
    columns = [
        "package",
        "files",
        "true",
        "found",
        "by AST",
        "compile",
        "kernels",
        "by AST",
        "with a unit",
        "compile",
    ]
    columns += ["in strings", "compile"]
    launch_columns = [
        "launches of templates",
        "types known",
        "arguments mapped",
        "reasons of the rest",
    ]
    costs = ["CPU s", "MB at most", "compiler's CPU s"]
    rows = [
        [
            line["package"],
            *(line[name] for name in _COUNTED),
            _format_numbers(line["stored"]),
            *_get_costs(line),
        ]
        for line in lines
    ]
    everything: Counter[str] = sum(
        (Counter(line["stored"]) for line in lines), Counter()
    )
    total = [
        "**all**",
        *sums.values(),
        _format_numbers(everything),
        *("",) * len(costs),
    ]
    return report.format_table([*columns, *launch_columns, *costs], [*rows, total])


def _format_launches(lines: Sequence[dict[str, Any]]) -> list[str]:
    columns = [
        "package",
        "launch tokens",
        "in macros",
        "with a row",
        "reasons of the others",
        "nothing",
    ]
    counts = [(line["package"], line["launch_tokens"]) for line in lines]
    rows = [
        [
            package,
            tokens["tokens"],
            tokens["in_macros"],
            tokens["counted"].get(HAS_ROW, 0),
            format_reasons(tokens["counted"]),
            tokens["counted"].get(UNEXPLAINED, 0),
        ]
        for package, tokens in counts
    ]
    lost = _format_items(
        f"{package}: {token}" for package, tokens in counts for token in tokens["lost"]
    )
    return [*report.format_table(columns, rows), *(["", *lost] if lost else [])]


def _format_shares(sums: dict[str, int]) -> str:
    return (
        f"By AST {_format_share(sums['true_by_ast'], sums['truth'])} of the true list, "
        f"{_format_share(sums['true_compile'], sums['truth'])} of it have a unit that compiles; "
        f"{_format_share(sums['compile'], sums['kernels'])} of all kernels outside of "
        "strings have; "
        "of launches of templates "
        f"{_format_share(sums['with_types'], sums['of_templates'])} have types and "
        f"{_format_share(sums['templates_mapped'], sums['of_templates'])} their arguments mapped."
    )


def _describe_sample(line: dict[str, Any]) -> str:
    sample_size, truth_size, seed = line["sampled"]
    return (
        f"Of {line['package']} {sample_size} of {truth_size} true kernels were looked "
        f"at, drawn at random with the seed {seed}."
    )


def _get_costs(line: dict[str, Any]) -> tuple[Any, ...]:
    return line["seconds"], line["peak_mb"], line["compiler_seconds"]


def _format_numbers(counted: Mapping[str, int]) -> str:
    return (
        ", ".join(f"{why} {number}" for why, number in sorted(counted.items()))
        or "none"
    )


def _format_items(items: Iterable[str]) -> list[str]:
    return [f"- `{item.replace('`', '')[:300]}`" for item in items]


def _format_share(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} %"
