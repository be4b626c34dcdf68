"""Compile device code with clang: a linked code object for AMD, PTX for NVIDIA."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from crawler import cache as folders
from crawler import headers, sandbox
from crawler.cpp import language_standard
from crawler.model import (
    Build,
    Diagnostic,
    Dialect,
    KernelUnit,
    Resources,
    Status,
    Toolchain,
    Verdict,
)
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags
from crawler.validate.toolchains import (
    amd_device_library,
    compiler_messages,
    object_symbols,
)
from crawler.validate.toolchains.precompiled_headers import (
    STALE_HEADER_PATTERN,
    find_prelude,
    precompile_prelude,
)
from crawler.validate.validator_interface import Built, Validator

AMD_TARGETS: Final = ("gfx90a", "gfx942", "gfx1100", "gfx1201")
NVIDIA_TARGETS: Final = ("sm_80", "sm_90")
COMPILE_LIMITS: Final = Limits(seconds=120, memory_bytes=6 << 30, file_bytes=256 << 20)
_SECONDS_EACH: Final = 1.0
_MANY: Final = 128
"""Instantiations above which a unit is optimised less: minutes of a compiler's time, for no
other verdict.
"""
_LOG: Final = 1 << 20
_SOURCES: Final = {Dialect.HIP: "unit.hip", Dialect.CUDA: "unit.cu"}
_FORMS: Final = {Dialect.HIP: "code", Dialect.CUDA: "ptx"}
# by the rules of modules, a host and a device overload in one precompiled header are two
# definitions of one function
RESOURCE_REMARK_FLAGS: Final = ("-Rpass-analysis=kernel-resource-usage",)
TEXTUAL_HEADER_FLAGS: Final = ("-Xclang", "-fno-cxx-modules")
_LAUNCHING: Final = re.compile(
    r"reference to (?:__global__ function|__host__ function '\w*(?:ConfigureCall|CallConfiguration)')"
    r"|kernel launch from __device__ or __global__ functions requires"
)
_IMAGES: Final = "The image/texture API not supported on the device"
UNKNOWN_NAME_PATTERN: Final = re.compile(
    r"unknown type name|undeclared identifier|no template named|no (?:type|member) named|undefined"
)
"""What a compiler says of a name that nothing declares."""
_QUIET: Final = (
    "-w",
    "-ferror-limit=50",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
    "-fno-crash-diagnostics",
)


@dataclass(frozen=True, slots=True)
class CompilerRun:
    """A finished compiler run and what it left."""

    process: CompletedProcess
    object: bytes
    log: str


class ClangCompiler:
    """clang, for the dialects and targets that it can serve here."""

    name = "clang"
    order = 50
    forms: Mapping[Dialect, str] = _FORMS

    def __init__(self, *extra_flags: str) -> None:
        self._more = extra_flags
        """Flags of code generation beside the usual."""

    def targets(self, dialect: Dialect) -> tuple[str, ...]:
        """Return what clang can compile `dialect` for here."""
        if discovery.find_clang() is None:
            return ()
        if dialect is Dialect.CUDA:
            return NVIDIA_TARGETS
        return tuple(arch for arch in AMD_TARGETS if _device_library(arch) is not None)

    def build(self, unit: KernelUnit, target: str) -> Built:
        """Compile `unit` into one object for `target`."""
        began = time.monotonic()
        for economy in self.optimisation_levels(unit):
            compilation = self.run_compiler(unit, target, (*economy, *self._more))
            verdict, symbols = _judge(unit, compilation)
            if verdict.status is Status.PASS:
                break
        code = compilation.object if verdict.status is Status.PASS else b""
        build = Build(
            unit=unit.digest,
            target=target,
            toolchain=self.describe_toolchain(unit.dialect, *economy),
            pass_call=verdict,
            form=self.forms[unit.dialect] if code else "",
            object_digest=hashlib.sha256(code).hexdigest() if code else "",
            symbols=symbols if code else (),
            resources=self.parse_resources(compilation.log) if code else (),
            diagnostics=()
            if code
            else compiler_messages.parse_diagnostics(compilation.log),
            seconds=round(time.monotonic() - began, 3),
        )
        return Built(build=build, object=code)

    def run_compiler(
        self, unit: KernelUnit, target: str, optimisation_flags: tuple[str, ...]
    ) -> CompilerRun:
        """Run the compiler once."""
        return _compile(unit, target, optimisation_flags)

    def optimisation_levels(self, unit: KernelUnit) -> tuple[tuple[str, ...], ...]:
        """Return the flags of the levels of optimisation to try, until one passes."""
        return _economies(unit)

    def parse_resources(self, log: str) -> tuple[Resources, ...]:
        """Return what each kernel uses, from what the compiler said."""
        return compiler_messages.parse_resource_remarks(log)

    def describe_toolchain(self, dialect: Dialect, *flags: str) -> Toolchain:
        """Return the toolchain that a build is recorded with."""
        return _toolchain(dialect, *flags)


def _compile(unit: KernelUnit, target: str, economy: tuple[str, ...]) -> CompilerRun:
    flags = _flags(unit, target)
    clang = discovery.find_clang()
    assert clang is not None
    prelude = find_prelude(unit.source)
    header = precompile_prelude(prelude, clang.path, flags) if prelude else None
    compiler = (str(clang.path), *flags, *economy)
    compilation = compile_in_sandbox(unit, compiler, header)
    if (
        header is not None
        and compilation.process.exit_code
        and STALE_HEADER_PATTERN.search(compilation.log)
    ):
        return compile_in_sandbox(unit, compiler)
    return compilation


def _economies(unit: KernelUnit) -> tuple[tuple[str, ...], ...]:
    """Return the levels of optimisation to try, until one passes.

    PTX is optimised again by whoever loads it; without optimisation, code that nothing reaches
    may lack a function.
    """
    if len(unit.instantiations) <= _MANY:
        return ((),)
    return (("-O0",), ("-O1",)) if unit.dialect is Dialect.CUDA else (("-O1",),)


def compile_in_sandbox(
    unit: KernelUnit,
    compiler: tuple[str, ...],
    precompiled_header: Path | None = None,
    *,
    readable_folders: tuple[Path, ...] = (),
    message_flags: tuple[str, ...] = _QUIET,
) -> CompilerRun:
    """Compile a unit inside the sandbox, where the folders `readable_folders` can be read, too."""
    work = Path(tempfile.mkdtemp(prefix="kernelset-build-"))
    try:
        work.chmod(0o755)
        source, target = _SOURCES[unit.dialect], work / "unit.out"
        (work / source).write_text(unit.source, "utf-8", "surrogateescape")
        use = ("-include-pch", str(precompiled_header)) if precompiled_header else ()
        argv = (*compiler, *use, *message_flags, source, "-o", target.name)
        mounts = [Mount(source=headers.ROOT, target=str(headers.ROOT))]
        mounts += [
            Mount(
                source=work, target=str(work), writable=True, copy_back=(target.name,)
            )
        ]
        mounts += [
            Mount(source=folder, target=str(folder))
            for folder in (folders.ensure_cache_folder(), *readable_folders)
        ]
        limits = _limits(unit)
        ended = sandbox.run(
            argv,
            mounts=mounts,
            cwd=str(work),
            limits=limits,
            keep=_LOG,
            plain_if_unavailable=True,
        )
        code = (
            target.read_bytes() if target.is_file() and not target.is_symlink() else b""
        )
        return CompilerRun(ended, code, ended.text)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _limits(unit: KernelUnit) -> Limits:
    """A unit of hundreds of instantiations is no bomb: each has its share of time."""
    wanted = COMPILE_LIMITS.seconds + _SECONDS_EACH * len(unit.instantiations)
    return replace(COMPILE_LIMITS, seconds=min(wanted, 8 * COMPILE_LIMITS.seconds))


def _judge(
    unit: KernelUnit, compilation: CompilerRun
) -> tuple[Verdict, tuple[str, ...]]:
    ended = compilation.process
    if ended.timed_out:
        return _failed(
            "compile-timeout", f"no result after {_limits(unit).seconds:.0f} s"
        ), ()
    if ended.exit_code or not compilation.object:
        return _blocked(unit, _explained(compilation)), ()
    missing = (
        object_symbols.list_undefined_functions(compilation.object)
        if unit.dialect is Dialect.CUDA
        else ()
    )
    if missing:
        return _failed("link-error", f"undefined: {', '.join(missing[:5])}"), ()
    symbols = object_symbols.list_kernel_symbols(compilation.object)
    absent = _absent(unit, symbols)
    if absent:
        return _failed("entry-missing", f"the object has no entry for {absent}"), ()
    return Verdict(status=Status.PASS), symbols


def _explained(compilation: CompilerRun) -> Verdict:
    log = compilation.log
    first = next(
        (
            each
            for each in compiler_messages.parse_diagnostics(log)
            if each.severity in ("error", "fatal")
        ),
        None,
    )
    message = _first_line(first, log)
    if "out of memory" in log or "std::bad_alloc" in log:
        return _failed("compile-memory", message)
    if (
        compilation.process.exit_code < 0
        or "PLEASE submit a bug report" in log
        or "Stack dump:" in log
    ):
        return _failed("compile-crashed", message)
    if "error in backend" in log:
        return _failed("backend-error", message)
    if "lld: error" in log or "ld.lld" in message:
        return _failed("link-error", message)
    if _LAUNCHING.search(message):
        advice = "a launch in device code takes a device linker: build it with nvcc -rdc=true"
        return Verdict(
            status=Status.UNSUPPORTED,
            code="dynamic-parallelism",
            message=f"{message}; {advice}",
        )
    if _IMAGES in message:
        advice = "this device has no image instructions: build it for one that has, such as gfx90a or gfx1100"
        return Verdict(
            status=Status.UNSUPPORTED, code="no-images", message=f"{message}; {advice}"
        )
    return _failed("compile-error", message)


def _blocked(unit: KernelUnit, verdict: Verdict) -> Verdict:
    """A port that was known to be impossible is unsupported; its own class says more than the
    compiler does.
    """
    if unit.port_report is None or not unit.port_report.blockers:
        return _incomplete(unit, verdict)
    kind, line = unit.port_report.blockers[0]
    code = f"port-{kind.replace('_', '-')}"
    return Verdict(
        status=Status.UNSUPPORTED,
        code=code,
        message=f"{kind} in line {line}; {verdict.message}",
    )


def _incomplete(unit: KernelUnit, verdict: Verdict) -> Verdict:
    """Where a name is unknown and the project lacks headers, they are the reason."""
    if (
        verdict.code != "compile-error"
        or not unit.missing_headers
        or not UNKNOWN_NAME_PATTERN.search(verdict.message)
    ):
        return verdict
    listed = ", ".join(unit.missing_headers[:3]) + (
        ", …" if len(unit.missing_headers) > 3 else ""
    )
    what = "crawl the repository with its submodules, or a release that has them"
    return _failed(
        "missing-header", f"{verdict.message}; {listed} not among the sources: {what}"
    )


def _failed(code: str, message: str) -> Verdict:
    return Verdict(status=Status.FAIL, code=code, message=message)


def _first_line(first: Diagnostic | None, log: str) -> str:
    if first is None:
        return next(iter(log.strip().splitlines()), "the compiler said nothing")[:500]
    place = f"{first.path}:{first.line}: " if first.path else ""
    return f"{place}{first.message}"[:500]


def _absent(unit: KernelUnit, symbols: tuple[str, ...]) -> str:
    """Return what has no entry: by its mangled name, else by the kernel's own name and the
    number of its entries.
    """
    name = unit.kernel_name.rpartition("::")[2]
    own = [
        symbol for symbol in symbols if symbol == name or f"{len(name)}{name}" in symbol
    ]
    wanted = max(1, len(unit.instantiations))
    if len(own) >= wanted:
        return ""
    unknown = [each for each in unit.instantiations if each.symbol not in symbols]
    return unknown[0].label or name if unknown and own else name


def _flags(unit: KernelUnit, target: str) -> tuple[str, ...]:
    flags = get_compile_flags(unit.dialect, target, unit.standard)
    if unit.standard != language_standard.DEFAULT_STANDARD:
        flags += TEXTUAL_HEADER_FLAGS
    if unit.dialect is Dialect.CUDA:
        return flags
    library = _device_library(target)
    return (*flags, *RESOURCE_REMARK_FLAGS, f"--rocm-device-lib-path={library}")


def _device_library(arch: str) -> Path | None:
    """Return a folder with AMD's device library for `arch`, made where the installed one is
    older than it.
    """
    rocm, clang = discovery.find_rocm(), discovery.find_clang()
    if rocm is None or clang is None or not amd_device_library.isa_version(arch):
        return None
    if amd_device_library.is_known_arch(arch, rocm.bitcode):
        return rocm.bitcode
    key = hashlib.sha256(f"{arch} {rocm} {clang.version}".encode()).hexdigest()
    bitcode = rocm.bitcode
    own = amd_device_library.isa_version_file(Path(), arch).name
    return folders.get_or_build(
        f"isa-{key}",
        lambda folder: amd_device_library.synthesise_library(
            arch, bitcode, folder, clang
        ),
        required_file=own,
    )


@cache
def _toolchain(dialect: Dialect, *flags: str) -> Toolchain:
    clang, rocm = discovery.find_clang(), discovery.find_rocm()
    compiler = " ".join(("clang", clang.version, *flags)) if clang else ""
    shim = f"kernelset {headers.headers_digest()[:12]}"
    made = Toolchain(
        compiler=compiler, headers=shim, digest=discovery.toolchain_digest()
    )
    if dialect is Dialect.CUDA or rocm is None:
        return made
    library = hashlib.sha256((rocm.bitcode / "ocml.bc").read_bytes()).hexdigest()[:12]
    return replace(
        made, device_library=f"ocml {library}", headers=f"HIP {rocm.version}, {shim}"
    )


PLUGIN: Final[Validator] = ClangCompiler()
