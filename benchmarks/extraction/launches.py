"""Count every launch token of packages independently and compare the extracted launches.

python -m benchmarks launches [--smoke | --all | NAME…] [--folder DIR] [--results
FILE]
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks import report
from benchmarks.arguments import (
    add_corpus_choice,
    add_folder,
    add_results,
    create_parser,
)
from benchmarks.corpus.compile_db import fetch_package
from benchmarks.corpus.corpus import measure_packages
from benchmarks.extraction.launch_tokens import iter_launch_files
from crawler.builds.database.compile_database import build_compile_database
from crawler.extract.link import LinkedCommit, link_commit
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.extract.unit.orphan_files import find_orphan_launches
from crawler.model import Kernel, Launch, Parameter, Span, UnitFacts

HAS_ROW: Final = "row"
UNEXPLAINED: Final = "no row and no reason"


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)

    def measure(name: str, version: str, scratch: Path) -> dict[str, Any]:
        root = fetch_package(name, version, arguments.folder, scratch)
        return {"package": name, **measure_launches(root, extract_facts(root))}

    lines = measure_packages(arguments, measure)
    if arguments.results:
        command = report.describe_command("launches", argv)
        report.write_report(
            arguments.results,
            "Launch tokens and launch rows",
            command,
            format_report(lines),
        )
    return 0


def extract_facts(root: Path) -> list[UnitFacts]:
    """Return what the units of a tree show."""
    database = build_compile_database(root)
    return list(
        extract_batch_facts(
            root,
            [database.entries[index] for group in database.groups for index in group],
        )
    )


def measure_launches(root: Path, facts: Iterable[UnitFacts]) -> dict[str, Any]:
    """Return how each launch token of a tree is accounted for, and how well the launches are
    known.
    """
    unit_facts = list(facts)
    linked_facts = link_commit(unit_facts)
    return {
        **account_for_tokens(root, unit_facts, linked_facts),
        **count_known_launches(linked_facts.kernels),
    }


def account_for_tokens(
    root: Path, facts: Iterable[UnitFacts], linked_facts: LinkedCommit
) -> dict[str, Any]:
    """Return how many launch tokens a tree has, and how many have a row of what its units show,
    or a reason.
    """
    read = {path for unit in facts for path in unit.files}
    rows, reasons = _collect_spans(linked_facts, find_orphan_launches(root, read))
    counted: Counter[str] = Counter()
    lost, tokens, in_macros = [], 0, 0
    for path, _, file_tokens in iter_launch_files(root):
        for token in file_tokens:
            tokens, in_macros = tokens + 1, in_macros + token.in_macro
            why = _explain_token(token.offset, rows[path], reasons[path])
            counted[why] += 1
            if why == UNEXPLAINED:
                lost.append(f"{path}:{token.line}: {token.text}")
    return {
        "tokens": tokens,
        "in_macros": in_macros,
        "counted": dict(counted),
        "lost": lost,
    }


def _explain_token(
    offset: int, rows: Iterable[Span], reasons: Iterable[tuple[Span, str]]
) -> str:
    if any(span.offset <= offset < span.end_offset for span in rows):
        return HAS_ROW
    reason = next(
        (reason for span, reason in reasons if span.offset <= offset < span.end_offset),
        UNEXPLAINED,
    )
    return reason.partition(":")[0]


def _collect_spans(
    linked_facts: LinkedCommit, unread_launches: Iterable[Launch]
) -> tuple[dict[str, list[Span]], dict[str, list[tuple[Span, str]]]]:
    rows: dict[str, list[Span]] = defaultdict(list)
    reasons: dict[str, list[tuple[Span, str]]] = defaultdict(list)
    for launch in (
        launch for kernel in linked_facts.kernels for launch in kernel.launches
    ):
        for span in (launch.span, launch.body):
            if span is not None:
                rows[span.path].append(span)
    for launch in (*linked_facts.launches, *unread_launches):
        reasons[launch.span.path].append((launch.span, launch.reason))
    return rows, reasons


def count_known_launches(kernels: Iterable[Kernel]) -> dict[str, int]:
    """Return how many launches there are, and how well they are known."""
    pairs = [(kernel, launch) for kernel in kernels for launch in kernel.launches]
    templates = [
        (kernel, launch)
        for kernel, launch in pairs
        if kernel.template_parameters or kernel.template_head
    ]
    return {
        "launches": len(pairs),
        "mapped": sum(_is_mapped(*pair) for pair in pairs),
        "of_templates": len(templates),
        "with_types": sum(bool(launch.template_arguments) for _, launch in templates),
        "templates_mapped": sum(_is_mapped(*pair) for pair in templates),
    }


def _is_mapped(kernel: Kernel, launch: Launch) -> bool:
    """Tell whether every parameter has an argument, but for those at the end that a default
    stands in for.
    """
    names = [name for name, _ in launch.argument_map]
    mapped_parameters = kernel.parameters[: len(names)]
    unmapped_parameters = kernel.parameters[len(names) :]
    written = sum(parameter.name != "" for parameter in mapped_parameters)
    return sum(name != "" for name in names) == written and all(
        _has_default(kernel, parameter) for parameter in unmapped_parameters
    )


def _has_default(kernel: Kernel, parameter: Parameter) -> bool:
    """Tell whether a launch may leave a parameter out: a pack of them may be empty."""
    if parameter.type.endswith("..."):
        return True
    head = kernel.source.partition("{")[0]
    return (
        bool(parameter.name)
        and re.search(rf"\b{re.escape(parameter.name)}\s*=[^=]", head) is not None
    )


def format_report(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Return what was counted as a table, and below it the tokens that nothing accounts for."""
    columns = [
        "package",
        "launch tokens",
        "in macros",
        "with a row",
        "reasons of the others",
        "nothing",
    ]
    launch_columns = [
        "launches",
        "arguments mapped",
        "of templates",
        "types known",
        "arguments mapped (templates)",
    ]
    rows = [
        [
            line["package"],
            line["tokens"],
            line["in_macros"],
            line["counted"].get(HAS_ROW, 0),
            format_reasons(line["counted"]),
            line["counted"].get(UNEXPLAINED, 0),
            line["launches"],
            line["mapped"],
            line["of_templates"],
            line["with_types"],
            line["templates_mapped"],
        ]
        for line in lines
    ]
    return [
        *report.format_table([*columns, *launch_columns], rows),
        "",
        *(f"- `{token}`" for line in lines for token in line["lost"]),
    ]


def format_reasons(reason_counts: Mapping[str, int]) -> str:
    """Return the reasons of tokens without a row, with their numbers."""
    return (
        ", ".join(
            f"{why} {n}"
            for why, n in sorted(reason_counts.items())
            if why not in (HAS_ROW, UNEXPLAINED)
        )
        or "none"
    )


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = create_parser("launches", __doc__)
    add_corpus_choice(parser)
    add_folder(parser)
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
