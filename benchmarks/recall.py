"""Hold rows of `kernelset query --json` against the true list of kernel definitions."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TRUTH = Path(__file__).parent / "truth" / "kernels.tsv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """How an index compares with the truth, in distinct (path, name) pairs."""

    truth: int
    found: int
    by_ast: int
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    """Rows that the truth does not know."""


def recall(rows: Iterable[Mapping[str, Any]], package: str, truth: Path = TRUTH) -> Recall:
    """Compare `rows` with the definitions of `package` (its name with underscores)."""
    pairs = true_pairs(package, truth)
    by_name = defaultdict(list)
    for path, name in pairs:
        by_name[name].append(path)
    found, by_ast, unknown = set(), set(), []
    for row in rows:
        name = row["name"].split("<")[0].split("::")[-1]
        hits = {(path, name) for path in by_name[name] if path.endswith(row["path"]) or row["path"].endswith(path)}
        found |= hits
        if row["found_by"] == "ast":
            by_ast |= hits
        if not hits:
            unknown.append(f"{row['path']}:{name}")
    return Recall(
        truth=len(pairs),
        found=len(found),
        by_ast=len(by_ast),
        missing=tuple(f"{path}:{name}" for path, name in sorted(pairs - found)),
        unknown=tuple(unknown),
    )


def true_pairs(package: str, truth: Path = TRUTH) -> set[tuple[str, str]]:
    with truth.open() as opened:
        rows = csv.DictReader(opened, delimiter="\t")
        return {
            (row["path"], row["kernel_name"])
            for row in rows
            if row["package"] == package and not row["kind"].startswith("macro_body")
        }
