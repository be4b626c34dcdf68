"""Published form of a build."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from crawler.model import Build, Resources, Status, Toolchain

_WORST_FIRST: Final = (
    Status.FAIL,
    Status.UNSUPPORTED,
    Status.SKIPPED,
    Status.CONDITIONAL,
    Status.CONSISTENT,
    Status.PASS,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRow:
    """What a compiler said of a unit."""

    unit: str
    """Digest of the unit, or port, that was compiled."""
    target: str
    """The processor that it was compiled for: `sm_80`, `gfx90a`."""
    status: str
    """`pass`, `fail`, or `skipped` where this machine has no compiler for the target."""
    code: str
    """Stable slug of why it is no `pass`: `compile-error`, `no-compiler`, …; empty for one."""
    message: str
    """The first line that says why, for a person."""
    form: str
    """Of the object: `code` for machine code, `ptx`; empty without one."""
    object_digest: str
    """sha256 of the object, in hexadecimal; empty without one."""
    toolchain: Toolchain
    """What compiled it."""
    resources: tuple[Resources, ...]
    """What each instantiation takes of the processor, where the compiler tells it."""
    fidelity: str = ""
    """How the code agrees with that of the whole translation unit: `identical`, `equivalent` (but
    for names and strings), `different` or `not-comparable`; empty where nobody looked.
    """
    difference: str = ""
    """What differs, or why nothing can be compared."""


def to_build_row(build: Build) -> BuildRow:
    """Return a build as it is published."""
    return BuildRow(
        unit=build.unit,
        target=build.target,
        status=build.pass_call.status.value,
        code=build.pass_call.code,
        message=build.pass_call.message,
        form=build.form,
        object_digest=build.object_digest,
        toolchain=build.toolchain,
        resources=build.resources,
        fidelity=build.fidelity.value if build.fidelity else "",
        difference=build.difference,
    )


def select_best_statuses(builds: Iterable[Build]) -> dict[str, str]:
    """Return the best status of each target: a newer toolchain may pass where an older one
    failed.
    """
    best: dict[str, Status] = {}
    for build in builds:
        status = build.pass_call.status
        best_so_far = best.get(build.target, status)
        best[build.target] = max(best_so_far, status, key=_WORST_FIRST.index)

    targets = sorted(best)
    return {target: best[target].value for target in targets}
