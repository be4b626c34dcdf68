"""The card of a dataset: the page that says what it holds, where it is from, and what it is not."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from crawler.dataset.cards.facts import DatasetFacts
from crawler.dataset.cards.origin import DatasetOrigin, FunnelStep
from crawler.dataset.interface import View
from crawler.field_docstrings import read_field_docstrings
from crawler.model import Status

DATA_FOLDER: Final = "data"
_SIZES: Final = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
"""Sizes as the Hub names them: rows fewer than the number."""
_LARGEST_SIZE: Final = "10M<n<100M"
_LIMITS: Final = (
    "A status is of one unit, one target or device and one instantiation.",
    f"`{Status.PASS}` of a build means that a compiler took the unit.",
    f"`{Status.PASS}` of a run means: {Status.PASS.run_meaning}.",
    f"`{Status.CONSISTENT}` means: {Status.CONSISTENT.run_meaning}.",
    "Inputs of runs were made up by a program, from the code and from its project's own tests.",
    "Licences are those that the repositories state. Nobody has asked the authors.",
    "Names and comments are those of the authors. No model wrote any of it.",
)
_OPT_OUT: Final = """\
Authors who do not want their code in here ask the publisher of this dataset. The publisher lists
them among the opt-outs of Kernelset and exports anew, without their kernels; `kernelset purge`
removes what was stored of them.
"""


def render_card(view: View, facts: DatasetFacts, origin: DatasetOrigin) -> str:
    """Return the card: a header for the Hub, then Markdown.

    It holds no date and nothing of the machine: the same index and options give the same text.
    """
    parts = [
        _render_header(view, facts),
        f"# CUDA and HIP kernels: {view.name}\n",
        f"A row is {view.summary}. Made by Kernelset; each row begins with `schema`, its form and"
        f" version: `{view.schema_name}`.\n",
        _render_splits(facts, origin),
        _render_funnel(facts, origin),
        _render_table(
            "Licences", ("licence", "class", "kernels"), _licence_rows(facts)
        ),
        _render_statuses("Builds", "target", facts.builds),
        _render_statuses("Runs", "device", facts.runs),
        _render_table(
            "Compilers",
            ("compiler", "builds and runs"),
            sorted(facts.compilers.items()),
        ),
        _render_table("How it was exported", ("option", "value"), origin.options),
        "\n".join(["## Limits\n", *(f"- {limit}" for limit in _LIMITS), ""]),
        f"## Opting out\n\n{_OPT_OUT}",
        _render_fields(view),
    ]
    return "\n".join(part for part in parts if part)


def _render_header(view: View, facts: DatasetFacts) -> str:
    """Return the metadata that the Hub reads (https://huggingface.co/docs/hub/datasets-cards)."""
    row_count = facts.rows_by_split.total()
    sizes = [name for bound, name in _SIZES if row_count < bound]
    lines = [
        "---",
        f"pretty_name: {json.dumps(f'CUDA and HIP kernels: {view.name}')}",
        # each row has its own
        "license: other",
        "license_name: several",
        "license_link: README.md#licences",
        "language:\n- code",
        "task_categories:\n- text-generation",
        "tags:\n- code\n- cuda\n- hip\n- gpu",
        f'size_categories:\n- "{(sizes or [_LARGEST_SIZE])[0]}"',
    ]
    splits = sorted(split for split, count in facts.rows_by_split.items() if count)
    if splits:
        lines.append(f"configs:\n- config_name: {view.name}\n  data_files:")
    for split in splits:
        lines.append(f"  - split: {split}\n    path: {DATA_FOLDER}/{split}-*.parquet")

    lines.append("---\n")
    return "\n".join(lines)


def _render_splits(facts: DatasetFacts, origin: DatasetOrigin) -> str:
    rows = [
        (
            split,
            str(row_count),
            str(facts.kernels_by_split[split]),
            str(len(facts.repositories_by_split[split])),
        )
        for split, row_count in sorted(facts.rows_by_split.items())
    ]
    table = _render_table("Splits", ("split", "rows", "kernels", "repositories"), rows)
    plan = origin.split_plan
    if not table or plan is None:
        return table

    shares = ", ".join(f"{name} {share:g}" for name, share in plan.shares.shares)
    return (
        f"{table}\nShares of {shares} of all families of repositories, with seed"
        f" {plan.shares.seed}. A repository is in the family of the one in which more than half of"
        " its kernels are at home; near copies of a kernel are in one split, wherever they stand.\n"
    )


def _render_funnel(facts: DatasetFacts, origin: DatasetOrigin) -> str:
    """Return how many came from each step to the next; the kernels add up."""
    steps = list(origin.funnel)
    left_out = [
        FunnelStep(f"left out: {count['class']}, {count['licence']}", count["kernels"])
        for count in origin.skip_counts.list_values()
    ]
    kernel_count = facts.kernels_by_split.total() + facts.kernels_without_row
    if steps:
        left_out_count = sum(step.count for step in left_out)
        unasked = steps[-1].count - kernel_count - left_out_count
        steps.append(FunnelStep("not asked for: see the options below", unasked))

    steps += left_out
    steps += [
        FunnelStep("without a row in this view", facts.kernels_without_row),
        FunnelStep("kernels with a row", facts.kernels_by_split.total()),
        FunnelStep("rows", facts.rows_by_split.total()),
    ]
    rows = [(step.name, step.count) for step in steps]
    return _render_table("From the index to the rows", ("what", "how many"), rows)


def _licence_rows(facts: DatasetFacts) -> list[tuple[str, str, str]]:
    return [
        (spdx, licence_class, str(count))
        for (spdx, licence_class), count in sorted(facts.licences.items())
    ]


def _render_statuses(title: str, place: str, counts: Mapping[str, Counter[str]]) -> str:
    rows = [
        (name, status, str(number))
        for name, statuses in sorted(counts.items())
        for status, number in sorted(statuses.items())
    ]
    return _render_table(title, (place, "status", "kernels"), rows)


def _render_fields(view: View) -> str:
    meanings = read_field_docstrings(view.row_type)
    rows = [
        (f"`{field.name}`", meanings[field.name]) for field in fields(view.row_type)
    ]
    return _render_table("Fields", ("field", "meaning"), rows)


def _render_table(
    title: str, head: Sequence[str], rows: Iterable[Sequence[Any]]
) -> str:
    """Return a section with a table; empty without rows."""
    lines = [" | ".join(_escape_cell(str(cell)) for cell in row) for row in rows]
    if not lines:
        return ""

    ruler = "|".join("---" for _ in head)
    table = [
        f"| {' | '.join(head)} |",
        f"|{ruler}|",
        *(f"| {line} |" for line in lines),
    ]
    return "\n".join([f"## {title}\n", *table, ""])


def _escape_cell(text: str) -> str:
    """Return a text on one line that ends no cell: licences and compilers are strangers' words."""
    on_one_line = re.sub(r"\s+", " ", text)
    return on_one_line.replace("|", "\\|").replace("<", "&lt;")
