"""Compile device code with clang: a linked code object for AMD, PTX for NVIDIA."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from crawler import headers
from crawler.cpp import language_standard
from crawler.model import (
    Build,
    Dialect,
    KernelUnit,
    Resources,
    Status,
    Toolchain,
    Verdict,
)
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags
from crawler.validate.toolchains import compiler_messages
from crawler.validate.toolchains.amd_device_library import find_device_library
from crawler.validate.toolchains.compile_verdicts import judge_compilation
from crawler.validate.toolchains.precompiled_headers import (
    STALE_HEADER_PATTERN,
    find_prelude,
    precompile_prelude,
)
from crawler.validate.toolchains.ptx_assembly import judge_ptx
from crawler.validate.toolchains.sandboxed_compiler import (
    CompilerRun,
    compile_in_sandbox,
)
from crawler.validate.validator_interface import Built

AMD_TARGETS: Final = ("gfx90a", "gfx942", "gfx1100", "gfx1201")
NVIDIA_TARGETS: Final = ("sm_80", "sm_90")
RESOURCE_REMARK_FLAGS: Final = ("-Rpass-analysis=kernel-resource-usage",)
# by the rules of modules, a host and a device overload in one precompiled header are two
# definitions of one function
TEXTUAL_HEADER_FLAGS: Final = ("-Xclang", "-fno-cxx-modules")

_PTX: Final = "ptx"
_FORMS: Final = {Dialect.HIP: "code", Dialect.CUDA: _PTX}
_UNOPTIMISED: Final = ("-O0",)
MANY_INSTANTIATIONS: Final = 128
"""Above these a unit is optimised less: minutes of a compiler's time, for no other verdict."""

OptimisationFlags = tuple[str, ...]


class ClangCompiler:
    """clang, for the dialects and targets that it can serve here.

    Other compilers that take a source and leave an object derive from it, and say in
    `run_compiler`, `parse_resources` and `describe_toolchain` what they do otherwise.
    """

    name = "clang"
    order = 50
    forms: Mapping[Dialect, str] = _FORMS

    def __init__(self, *extra_flags: str) -> None:
        self._extra_flags = extra_flags
        """Flags of code generation beside the usual."""

    def targets(self, dialect: Dialect) -> tuple[str, ...]:
        """Return what clang can compile `dialect` for here."""
        if discovery.find_clang() is None:
            return ()
        if dialect is Dialect.CUDA:
            return NVIDIA_TARGETS

        return tuple(
            arch for arch in AMD_TARGETS if find_device_library(arch) is not None
        )

    def build(self, unit: KernelUnit, target: str) -> Built:
        """Compile `unit` into one object for `target`."""
        start = time.monotonic()
        for optimisation_flags in self.optimisation_levels(unit):
            flags = (*optimisation_flags, *self._extra_flags)
            compilation = self.run_compiler(unit, target, flags)
            verdict, symbols = judge_compilation(unit, compilation)
            if verdict.status is Status.PASS:
                verdict = self.judge_object(unit, target, compilation.object)
                break

        log = compilation.log
        build = Build(
            unit=unit.digest,
            target=target,
            toolchain=self.describe_toolchain(unit.dialect, *optimisation_flags),
            pass_call=verdict,
        )
        if verdict.status is not Status.PASS:
            diagnostics = compiler_messages.parse_diagnostics(log)
            seconds = round(time.monotonic() - start, 3)
            return Built(build=replace(build, diagnostics=diagnostics, seconds=seconds))

        code = compilation.object
        build = replace(
            build,
            form=self.forms[unit.dialect],
            object_digest=hashlib.sha256(code).hexdigest(),
            symbols=symbols,
            resources=self.parse_resources(log),
            seconds=round(time.monotonic() - start, 3),
        )

        return Built(build=build, object=code)

    def run_compiler(
        self, unit: KernelUnit, target: str, optimisation_flags: OptimisationFlags
    ) -> CompilerRun:
        """Run the compiler once."""
        return _run_clang(unit, target, optimisation_flags)

    def judge_object(self, unit: KernelUnit, target: str, code: bytes) -> Verdict:
        """Return what there is to say of the object that a compiler left without an error."""
        if self.forms[unit.dialect] != _PTX:
            return Verdict(status=Status.PASS)

        is_large = len(unit.instantiations) > MANY_INSTANTIATIONS
        return judge_ptx(code, target, *(_UNOPTIMISED if is_large else ()))

    def optimisation_levels(self, unit: KernelUnit) -> tuple[OptimisationFlags, ...]:
        """Return the flags of the levels of optimisation to try, until one passes.

        PTX is optimised again by whoever loads it; without optimisation, code that nothing
        reaches may lack a function.
        """
        if len(unit.instantiations) <= MANY_INSTANTIATIONS:
            return ((),)
        if unit.dialect is Dialect.CUDA:
            return (_UNOPTIMISED, ("-O1",))
        return (("-O1",),)

    def parse_resources(self, log: str) -> tuple[Resources, ...]:
        """Return what each kernel uses, from what the compiler said."""
        return compiler_messages.parse_resource_remarks(log)

    def describe_toolchain(self, dialect: Dialect, *flags: str) -> Toolchain:
        """Return the toolchain that a build is recorded with."""
        return _describe_toolchain(dialect, *flags)


def _run_clang(
    unit: KernelUnit, target: str, optimisation_flags: OptimisationFlags
) -> CompilerRun:
    clang = discovery.find_clang()
    assert clang is not None
    flags = _compile_flags(unit, target)
    command = (str(clang.path), *flags, *optimisation_flags)
    prelude = find_prelude(unit.source)
    # a precompiled text has the macros that it was made with
    has_own_macros = any(flag.startswith("-D") for flag in optimisation_flags)
    is_precompiled = bool(prelude) and not has_own_macros
    header = precompile_prelude(prelude, clang.path, flags) if is_precompiled else None

    compilation = compile_in_sandbox(unit, command, header)
    # e.g. a header of ours was touched since: the unit is not to blame
    has_failed = header is not None and compilation.process.exit_code
    if has_failed and STALE_HEADER_PATTERN.search(compilation.log):
        return compile_in_sandbox(unit, command)

    return compilation


def _compile_flags(unit: KernelUnit, target: str) -> tuple[str, ...]:
    flags = get_compile_flags(
        unit.dialect, target, unit.standard, unit.installed_libraries
    )
    if unit.standard != language_standard.DEFAULT_STANDARD:
        flags += TEXTUAL_HEADER_FLAGS

    if unit.dialect is Dialect.CUDA:
        return flags

    library = find_device_library(target)

    return (*flags, *RESOURCE_REMARK_FLAGS, f"--rocm-device-lib-path={library}")


@cache
def _describe_toolchain(dialect: Dialect, *flags: str) -> Toolchain:
    clang = discovery.find_clang()
    rocm = discovery.find_rocm()
    own_headers = f"kernelset {headers.headers_digest()[:12]}"
    compiler = " ".join(("clang", clang.version, *flags)) if clang else ""
    assembler = discovery.read_ptxas_version()
    if dialect is Dialect.CUDA and assembler:
        compiler += f", ptxas {assembler}"

    toolchain = Toolchain(
        compiler=compiler,
        headers=own_headers,
        digest=discovery.toolchain_digest(),
    )
    if dialect is Dialect.CUDA or rocm is None:
        return toolchain

    library = hashlib.sha256((rocm.bitcode / "ocml.bc").read_bytes()).hexdigest()

    return replace(
        toolchain,
        device_library=f"ocml {library[:12]}",
        headers=f"HIP {rocm.version}, {own_headers}",
    )
