"""Compile a kernel unit with whichever validator serves its target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.errors import MissingTool
from crawler.libraries.discovery import find_installed, get_known
from crawler.libraries.remedies import explain_missing_library
from crawler.model import Build, Dialect, KernelUnit, Status, Toolchain, Verdict
from crawler.plugins import load_plugins
from crawler.validate.validator_interface import Built, Validator

DEFAULT_TARGETS: Final = ("sm_80", "gfx90a")
_TARGET_PREFIXES: Final = {Dialect.CUDA: "sm_", Dialect.HIP: "gfx"}


def available_targets(dialect: Dialect) -> tuple[str, ...]:
    """Return the targets that units of `dialect` can be built for on this machine."""
    targets: list[str] = []
    for validator in _list_validators():
        targets += validator.targets(dialect)
    return tuple(dict.fromkeys(targets))


def require_targets(requested: Sequence[str]) -> None:
    """Raise `MissingTool` where this machine can build for none of the targets that are
    `requested`.
    """
    available: list[str] = []
    for dialect in Dialect:
        available += available_targets(dialect)

    if any(target in available for target in requested):
        return
    if not available:
        raise MissingTool(
            "there is no clang++ of version 18 or newer on PATH, and nothing can be compiled "
            "without it: run `deploy/bootstrap`, then the same command again",
            code="no-compiler",
        )

    raise MissingTool(
        f"nothing here compiles for {', '.join(requested)}, only for {', '.join(available)}: "
        "choose among those, or see by `kernelset doctor` what is missing",
        code="no-compiler",
    )


def target_dialect(target: str) -> Dialect | None:
    """Return the dialect that a target is built from, `None` for what is no target's name."""
    for dialect, prefix in _TARGET_PREFIXES.items():
        if target.startswith(prefix):
            return dialect
    return None


def build_unit(unit: KernelUnit, target: str, validator_name: str = "") -> Built:
    """Compile `unit` for `target`, `validator_name` the validator of that name if given; what
    goes wrong is in the verdict.
    """
    if target_dialect(target) is not unit.dialect:
        message = f"a {unit.dialect} unit is not built for {target}: port it first"
        return _without_object(
            unit, target, Status.UNSUPPORTED, "wrong-dialect", message
        )

    for name in unit.installed_libraries:
        library = get_known(name)
        if library is not None and unit.dialect not in library.dialects:
            message = f"{library.title} has no code for {unit.dialect} devices"
            return _without_object(
                unit, target, Status.UNSUPPORTED, "library-dialect", message
            )

    missing = [name for name in unit.installed_libraries if not find_installed(name)]
    if missing:
        message = explain_missing_library(missing[0])
        return _without_object(unit, target, Status.SKIPPED, "no-library", message)

    for validator in _list_validators():
        if validator_name not in ("", validator.name):
            continue
        if target in validator.targets(unit.dialect):
            return validator.build(unit, target)

    message = f"nothing here builds for {target}: run `kernelset doctor`"

    return _without_object(unit, target, Status.SKIPPED, "no-compiler", message)


def _list_validators() -> tuple[Validator, ...]:
    return load_plugins("crawler.validate.compilers", Validator)


def _without_object(
    unit: KernelUnit, target: str, status: Status, code: str, message: str
) -> Built:
    build = Build(
        unit=unit.digest,
        target=target,
        toolchain=Toolchain(compiler=""),
        pass_call=Verdict(status=status, code=code, message=message),
    )
    return Built(build=build)
