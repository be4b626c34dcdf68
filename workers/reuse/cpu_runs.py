"""Reuse CPU runs of earlier commits and forks where unit, toolchain and evidence are the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crawler.codec import decode, encode, to_builtins
from crawler.model import Kernel, Run, Status
from crawler.validate.cpu.oracle_and_strength import list_cpu_files
from crawler.validate.cpu.validation import InstantiationBudget
from storage.ledger.interface import Stage
from workers.tasks.task_specs import stage_version

if TYPE_CHECKING:
    from storage.open import Storage

_TRANSIENT_CODES: Final = ("internal", "host-compile-timeout", "no-compiler")
"""Codes of what may come otherwise the next time."""
_IRRELEVANT_FIELDS: Final = frozenset(
    {"unit", "licence", "tags", "reason", "found_by", "flags_origin", "borrowed_from"}
)
ReadFile = Callable[[str], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConditions:
    """What an earlier run of the same kernel must have been made with."""

    read_file: ReadFile
    strength_seconds: float
    budget: InstantiationBudget


def find_known_runs(
    storage: Storage,
    kernel: Kernel,
    conditions: RunConditions,
    evidence: object = (),
) -> tuple[Run, ...]:
    """Return earlier runs of a unit by this very toolchain and version, the one that speaks for
    it first; none where there are none.

    The launches of the kernel, the host code about it and `evidence`, what its author's programs
    and tests showed of it, must have been the same.
    """
    key = _run_key(kernel, conditions, evidence)
    digest = storage.source_memory.recall(key)
    if not digest:
        return ()

    encoded_runs = storage.blobs.get(digest.decode())
    runs = decode(encoded_runs, tuple[Run, ...])
    has_lost_cases = any(run.suite and not storage.blobs.has(run.suite) for run in runs)
    return () if has_lost_cases else runs


def remember_runs(
    storage: Storage,
    kernel: Kernel,
    runs: Sequence[Run],
    conditions: RunConditions,
    evidence: object = (),
) -> None:
    """Let runs be found; where one was not made, or broke on our side, all are tried again
    instead.
    """
    for run in runs:
        verdict = run.pass_exe
        if verdict.status is Status.SKIPPED or verdict.code in _TRANSIENT_CODES:
            return

    key = _run_key(kernel, conditions, evidence)
    digest = storage.blobs.put(encode(tuple(runs)))
    storage.source_memory.remember(key, digest.encode())


def _run_key(kernel: Kernel, conditions: RunConditions, evidence: object) -> str:
    unit = kernel.unit.digest if kernel.unit else ""
    fields = _drop_positions(to_builtins(kernel))
    content = hashlib.sha256(encode(fields))
    content.update(encode(_drop_positions(to_builtins(evidence))))
    for path in list_cpu_files(kernel):
        text = conditions.read_file(path) or ""
        content.update(text.encode("utf-8", "surrogateescape"))

    measured = "measured" if conditions.strength_seconds else "plain"
    version = stage_version(Stage.VALIDATE_CPU)
    budget = conditions.budget
    measure_key = f"{version} {measured} {budget.instantiations} {budget.seconds:g}"
    return f"run {measure_key} {unit} {content.hexdigest()}"


def _drop_positions(value: Any) -> Any:
    """Return a value without lines and offsets, which an edit elsewhere in a file moves."""
    if isinstance(value, list | tuple):
        return [_drop_positions(item) for item in value]
    if not isinstance(value, dict):
        return value

    remaining = {}
    for name, item in value.items():
        if name in ("span", "place"):
            remaining[name] = item["path"]
        elif name not in _IRRELEVANT_FIELDS:
            remaining[name] = _drop_positions(item)

    return remaining
