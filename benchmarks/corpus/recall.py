"""Compare rows of `kernelset query --json` with the true list of kernel definitions."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TRUE_KERNELS = Path(__file__).parents[1] / "truth" / "kernels.tsv"
EXPLAINED_KERNELS = TRUE_KERNELS.with_name("extra.tsv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """How an index compares with the truth, in distinct (path, name) pairs."""

    truth: int
    found: int
    by_ast: int
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    """Rows that neither the truth nor the list of explained ones knows: false kernels until
    somebody looks.
    """
    explained: int = 0
    """Rows that the truth does not count and `extra.tsv` explains."""


def measure_recall(
    rows: Iterable[Mapping[str, Any]],
    package: str,
    truth: Path = TRUE_KERNELS,
    pairs: Collection[tuple[str, str]] = (),
) -> Recall:
    """Compare `rows` with the definitions of `package` (its name with underscores), or with
    these `pairs` of them.
    """
    pairs = set(pairs) or load_true_pairs(package, truth)
    by_name = defaultdict(list)
    for path, name in pairs:
        by_name[name].append(path)
    found_pairs, by_ast, unknown = set(), set(), []
    extra, explained = _load_explained(package), 0
    for row in rows:
        name = row["name"].split("<")[0].split("::")[-1]
        hits = {
            (path, name)
            for path in by_name[name]
            if path.endswith(row["path"]) or row["path"].endswith(path)
        }
        found_pairs |= hits
        if row["found_by"] == "ast":
            by_ast |= hits
        if any(row["path"].endswith(path) for path in extra[row["name"]]):
            explained += 1
        elif not hits:
            unknown.append(f"{row['path']}:{name}")
    return Recall(
        truth=len(pairs),
        found=len(found_pairs),
        by_ast=len(by_ast),
        missing=tuple(f"{path}:{name}" for path, name in sorted(pairs - found_pairs)),
        unknown=tuple(unknown),
        explained=explained,
    )


def _load_explained(package: str) -> dict[str, list[str]]:
    paths = defaultdict(list)
    with EXPLAINED_KERNELS.open() as opened:
        for row in csv.DictReader(opened, delimiter="\t"):
            if row["package"] == package:
                paths[row["kernel_name"]].append(row["path"])
    return paths


def load_true_pairs(package: str, truth: Path = TRUE_KERNELS) -> set[tuple[str, str]]:
    with truth.open() as opened:
        rows = csv.DictReader(opened, delimiter="\t")
        return {
            (row["path"], row["kernel_name"])
            for row in rows
            if row["package"] == package and not row["kind"].startswith("macro_body")
        }
