"""Compile objects that a driver can load: PTX must hold the libdevice functions that it calls."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.model import Build, Dialect, KernelUnit, Status, Toolchain, Verdict
from crawler.toolchains import discovery
from crawler.validate.build import available_targets, build_unit
from crawler.validate.toolchains.clang_compiler import NVIDIA_TARGETS, ClangCompiler
from crawler.validate.validator_interface import Built

DISAGREEMENT_CODE: Final = "compilers-disagree"
# PTX declares what it calls and does not hold: `.extern .func (.param .b32 r) __nv_expf (…);`.
_LIBDEVICE_DECLARATION: Final = re.compile(
    rb"^\.extern \.func[^;]*?\b(__nv_\w+)", re.MULTILINE
)
_MAX_NAMED_FUNCTIONS: Final = 3


def choose_target(dialect: Dialect, arch: str) -> str:
    """Return the target to compile for on a device of `arch`; empty where there is none.

    That is `arch` itself, or an older one of NVIDIA's, whose PTX a newer device takes.
    """
    targets = available_targets(dialect)
    if arch in targets:
        return arch
    # An object of AMD's runs on its own arch alone.
    if dialect is Dialect.HIP:
        return ""

    older_targets = [
        target
        for target in NVIDIA_TARGETS
        if target in targets and _arch_number(target) <= _arch_number(arch)
    ]

    return max(older_targets, key=_arch_number, default="")


def compile_loadable(unit: KernelUnit, target: str) -> tuple[Built, ...]:
    """Compile a unit by the vendor's own compiler, where there is one, and by clang.

    The first result is what a driver can load, or has a verdict that says what is missing.
    """
    first = build_unit(unit, target)
    # PTX may call functions of libdevice, which no driver has.
    if unit.dialect is Dialect.CUDA:
        return (_link_libdevice(unit, target, first),)

    compiler = first.build.toolchain.compiler
    if not compiler or compiler.startswith("clang"):
        return (first,)

    return first, build_unit(unit, target, "clang")


def find_disagreement(builds: Sequence[Build]) -> str:
    """Return a code where some builds of a unit passed and some failed, else an empty one."""
    statuses = {build.pass_call.status for build in builds}
    if Status.PASS in statuses and Status.FAIL in statuses:
        return DISAGREEMENT_CODE

    return ""


def list_missing_libdevice(ptx: bytes) -> tuple[str, ...]:
    """Return the functions of NVIDIA's libdevice that PTX calls and does not hold, sorted."""
    names = {name.decode() for name in _LIBDEVICE_DECLARATION.findall(ptx)}
    return tuple(sorted(names))


def _link_libdevice(unit: KernelUnit, target: str, built: Built) -> Built:
    """Compile a unit again with libdevice where its PTX calls functions of it."""
    if built.build.form != "ptx":
        return built

    missing_functions = list_missing_libdevice(built.object)
    if not missing_functions:
        return built

    library = discovery.find_libdevice()
    if library is None:
        return _without_libdevice(built, missing_functions)

    # The bitcode is linked into the device code, as nvcc does.
    compiler = ClangCompiler(
        "-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(library)
    )
    linked = compiler.build(unit, target)
    toolchain = _with_library_digest(linked.build.toolchain, library)

    return replace(linked, build=replace(linked.build, toolchain=toolchain))


def _with_library_digest(toolchain: Toolchain, library: Path) -> Toolchain:
    library_digest = hashlib.sha256(library.read_bytes()).hexdigest()
    both_digests = f"{toolchain.digest} {library_digest}"

    return replace(
        toolchain,
        device_library=f"libdevice {library_digest[:12]}",
        digest=hashlib.sha256(both_digests.encode()).hexdigest(),
    )


def _without_libdevice(built: Built, missing_functions: Sequence[str]) -> Built:
    names = ", ".join(missing_functions[:_MAX_NAMED_FUNCTIONS])
    verdict = Verdict(
        status=Status.SKIPPED,
        code="no-libdevice",
        message=(
            f"it calls {names} of libdevice: "
            "install NVIDIA's toolkit, or the extra kernelset[cuda]"
        ),
    )

    build = replace(
        built.build, pass_call=verdict, form="", object_digest="", symbols=()
    )

    return Built(build=build)


def _arch_number(target: str) -> int:
    """Return the number in a target: 90 of `sm_90a`."""
    # Suffixes of variants, as in `sm_90a`, do not order targets.
    digits = re.sub(r"\D", "", target)
    return int(digits or 0)
