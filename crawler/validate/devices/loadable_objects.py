"""Compile objects that a driver can load: PTX must hold the libdevice functions that it calls."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.model import Build, Dialect, KernelUnit, Status, Verdict
from crawler.toolchains import discovery
from crawler.validate.build import available_targets, build_unit
from crawler.validate.compilers.clang import NVIDIA_TARGETS, ClangCompiler
from crawler.validate.validator_interface import Built

DISAGREEMENT_CODE: Final = "compilers-disagree"
_OF_LIBDEVICE: Final = re.compile(rb"^\.extern \.func[^;]*?\b(__nv_\w+)", re.MULTILINE)


def choose_target(dialect: Dialect, arch: str) -> str:
    """Return what to compile for a device of `arch`: that, or an older one whose PTX it takes;
    empty for none.
    """
    served = available_targets(dialect)
    if arch in served or dialect is Dialect.HIP:
        return arch if arch in served else ""
    older = [
        target
        for target in NVIDIA_TARGETS
        if target in served and _number(target) <= _number(arch)
    ]
    return max(older, key=_number, default="")


def compile_loadable(unit: KernelUnit, target: str) -> tuple[Built, ...]:
    """Compile a unit by the vendor's own compiler where this machine has it, and then by clang
    beside it.

    The first is what a driver can load, or has a verdict that says what is missing.
    """
    first = build_unit(unit, target)
    if unit.dialect is Dialect.CUDA:
        return (_with_library(unit, target, first),)
    if (
        first.build.toolchain.compiler.startswith("clang")
        or not first.build.toolchain.compiler
    ):
        return (first,)
    return first, build_unit(unit, target, "clang")


def find_disagreement(builds: Sequence[Build]) -> str:
    """Return a code where some builds of a unit passed and some failed."""
    statuses = {each.pass_call.status for each in builds} & {Status.PASS, Status.FAIL}
    return DISAGREEMENT_CODE if len(statuses) > 1 else ""


def list_missing_libdevice(ptx: bytes) -> tuple[str, ...]:
    """Return the functions of NVIDIA's device library that PTX calls and does not hold, sorted."""
    return tuple(sorted({name.decode() for name in _OF_LIBDEVICE.findall(ptx)}))


def _with_library(unit: KernelUnit, target: str, first: Built) -> Built:
    missing = list_missing_libdevice(first.object) if first.build.form == "ptx" else ()
    if not missing:
        return first
    library = discovery.find_libdevice()
    if library is not None:
        made = ClangCompiler(
            "-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(library)
        ).build(unit, target)
        digest = hashlib.sha256(library.read_bytes()).hexdigest()
        told = replace(made.build.toolchain, device_library=f"libdevice {digest[:12]}")
        told = replace(
            told, digest=hashlib.sha256(f"{told.digest} {digest}".encode()).hexdigest()
        )
        return replace(made, build=replace(made.build, toolchain=told))
    message = f"it calls {', '.join(missing[:3])} of libdevice: install NVIDIA's toolkit, or the extra kernelset[cuda]"
    verdict = Verdict(status=Status.SKIPPED, code="no-libdevice", message=message)
    return Built(
        build=replace(
            first.build, pass_call=verdict, form="", object_digest="", symbols=()
        )
    )


def _number(target: str) -> int:
    return int(re.sub(r"\D", "", target) or 0)
