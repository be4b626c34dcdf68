"""Reuse CPU runs of earlier commits and of forks where unit, toolchain and evidence are the
same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from crawler.codec import decode, encode, to_builtins
from crawler.model import Kernel, Run, Status
from crawler.validate.cpu.oracle_and_strength import list_cpu_files
from storage.ledger.interface import Stage
from workers.tasks.task_specs import stage_version

if TYPE_CHECKING:
    from storage.open import Storage

_PASSING: Final = ("internal", "host-compile-timeout", "no-compiler")
"""Codes of what may come otherwise the next time."""
_NO_EVIDENCE: Final = frozenset(
    {"unit", "licence", "tags", "reason", "found_by", "flags_origin", "borrowed_from"}
)
ReadFile = Callable[[str], str | None]


def find_known_run(
    storage: Storage, kernel: Kernel, read_file: ReadFile, strength_seconds: float
) -> Run | None:
    """Return the run of a unit by this very toolchain and version, with the same launches and
    host code about it.
    """
    kept = storage.source_memory.recall(_key(kernel, read_file, strength_seconds))
    run = decode(storage.blobs.get(kept.decode()), Run) if kept else None
    return run if run is None or not run.suite or storage.blobs.has(run.suite) else None


def remember_run(
    storage: Storage,
    kernel: Kernel,
    run: Run,
    read_file: ReadFile,
    strength_seconds: float,
) -> None:
    """Let a run be found; what was not run, or broke on our side, is tried again instead."""
    if run.pass_exe.status is not Status.SKIPPED and run.pass_exe.code not in _PASSING:
        storage.source_memory.remember(
            _key(kernel, read_file, strength_seconds),
            storage.blobs.put(encode(run)).encode(),
        )


def _key(kernel: Kernel, file_of: ReadFile, strength: float) -> str:
    unit = kernel.unit.digest if kernel.unit else ""
    evidence = hashlib.sha256(encode(_told(to_builtins(kernel))))
    for path in list_cpu_files(kernel):
        evidence.update((file_of(path) or "").encode("utf-8", "surrogateescape"))
    measured = "measured" if strength else "plain"
    return f"run {stage_version(Stage.VALIDATE_CPU)} {measured} {unit} {evidence.hexdigest()}"


def _told(value: Any) -> Any:
    """Return what a value says but for lines and offsets, which an edit elsewhere moves."""
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if name not in _NO_EVIDENCE}
        return {
            name: each["path"] if name == "span" else _told(each)
            for name, each in kept.items()
        }
    return [_told(each) for each in value] if isinstance(value, list | tuple) else value
