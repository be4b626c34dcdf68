"""Objects that a driver can load: what is only PTX must bring the functions of NVIDIA's device library with it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler import toolchain
from crawler.model import Build, Dialect, KernelUnit, Status, Verdict
from crawler.validate.build import build, targets
from crawler.validate.clang import NVIDIA, DeviceCompiler
from crawler.validate.interface import Built

DISAGREE: Final = "compilers-disagree"
_OF_LIBDEVICE: Final = re.compile(rb"^\.extern \.func[^;]*?\b(__nv_\w+)", re.MULTILINE)


def target_for(dialect: Dialect, arch: str) -> str:
    """Return what to compile for a device of `arch`: that, or an older one whose PTX it takes; empty for none."""
    served = targets(dialect)
    if arch in served or dialect is Dialect.HIP:
        return arch if arch in served else ""
    older = [target for target in NVIDIA if target in served and _number(target) <= _number(arch)]
    return max(older, key=_number, default="")


def compiled(unit: KernelUnit, target: str) -> tuple[Built, ...]:
    """Compile a unit by the vendor's own compiler where this machine has it, and then by clang beside it.

    The first is what a driver can load, or has a verdict that says what is missing.
    """
    first = build(unit, target)
    if unit.dialect is Dialect.CUDA:
        return (_with_library(unit, target, first),)
    if first.build.toolchain.compiler.startswith("clang") or not first.build.toolchain.compiler:
        return (first,)
    return first, build(unit, target, "clang")


def disagreement(builds: Sequence[Build]) -> str:
    """Return a code where some builds of a unit passed and some failed."""
    statuses = {each.pass_call.status for each in builds} & {Status.PASS, Status.FAIL}
    return DISAGREE if len(statuses) > 1 else ""


def lacking(ptx: bytes) -> tuple[str, ...]:
    """Return the functions of NVIDIA's device library that PTX calls and does not hold, sorted."""
    return tuple(sorted({name.decode() for name in _OF_LIBDEVICE.findall(ptx)}))


def _with_library(unit: KernelUnit, target: str, first: Built) -> Built:
    missing = lacking(first.object) if first.build.form == "ptx" else ()
    if not missing:
        return first
    library = toolchain.libdevice()
    if library is not None:
        made = DeviceCompiler("-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(library)).build(unit, target)
        digest = hashlib.sha256(library.read_bytes()).hexdigest()
        told = replace(made.build.toolchain, device_library=f"libdevice {digest[:12]}")
        told = replace(told, digest=hashlib.sha256(f"{told.digest} {digest}".encode()).hexdigest())
        return replace(made, build=replace(made.build, toolchain=told))
    message = f"it calls {', '.join(missing[:3])} of libdevice: install NVIDIA's toolkit, or the extra kernelset[cuda]"
    verdict = Verdict(status=Status.SKIPPED, code="no-libdevice", message=message)
    return Built(build=replace(first.build, pass_call=verdict, form="", object_digest="", symbols=()))


def _number(target: str) -> int:
    return int(re.sub(r"\D", "", target) or 0)
