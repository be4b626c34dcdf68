"""Builds a kernel unit for a target by whichever validator serves it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.errors import MissingTool
from crawler.model import Build, Dialect, KernelUnit, Status, Toolchain, Verdict
from crawler.plugins import plugins
from crawler.validate.interface import Built, Validator

DEFAULT_TARGETS: Final = ("sm_80", "gfx90a")
_PREFIXES: Final = {Dialect.CUDA: "sm_", Dialect.HIP: "gfx"}


def targets(dialect: Dialect) -> tuple[str, ...]:
    """Return the targets that units of `dialect` can be built for on this machine."""
    return tuple(dict.fromkeys(target for validator in _validators() for target in validator.targets(dialect)))


def require(wanted: Sequence[str]) -> None:
    """Raise `MissingTool` where this machine can build for none of the targets that are `wanted`."""
    served = [target for dialect in Dialect for target in targets(dialect)]
    if any(target in served for target in wanted):
        return
    if not served:
        missing = "there is no clang++ of version 18 or newer on PATH, and nothing can be compiled without it"
        raise MissingTool(f"{missing}: run `deploy/bootstrap`, then the same command again", code="no-compiler")
    raise MissingTool(
        f"nothing here compiles for {', '.join(wanted)}, only for {', '.join(served)}: choose among those, "
        "or see by `kernelset doctor` what is missing",
        code="no-compiler",
    )


def dialect_of(target: str) -> Dialect | None:
    """Return the dialect that a target is built from, `None` for what is no target's name."""
    return next((dialect for dialect, prefix in _PREFIXES.items() if target.startswith(prefix)), None)


def build(unit: KernelUnit, target: str, by: str = "") -> Built:
    """Compile `unit` for `target`, `by` the validator of that name if given; what goes wrong is in the verdict."""
    if dialect_of(target) is not unit.dialect:
        message = f"a {unit.dialect} unit is not built for {target}: port it first"
        return _without_object(unit, target, Verdict(status=Status.UNSUPPORTED, code="wrong-dialect", message=message))
    for validator in _validators():
        if by in ("", validator.name) and target in validator.targets(unit.dialect):
            return validator.build(unit, target)
    message = f"nothing here builds for {target}: run `kernelset doctor`"
    return _without_object(unit, target, Verdict(status=Status.SKIPPED, code="no-compiler", message=message))


def _validators() -> tuple[Validator, ...]:
    return plugins("crawler.validate")


def _without_object(unit: KernelUnit, target: str, verdict: Verdict) -> Built:
    return Built(build=Build(unit=unit.digest, target=target, toolchain=Toolchain(compiler=""), pass_call=verdict))
