"""Device-only compilation by clang: a linked code object for AMD, PTX for NVIDIA."""

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
from crawler import headers, sandbox, standards, toolchain
from crawler.headers.flags import compile_flags
from crawler.model import Build, Diagnostic, Dialect, KernelUnit, Resources, Status, Toolchain, Verdict
from crawler.process import Finished, Limits
from crawler.sandbox import Mount
from crawler.validate import isa, messages, objects
from crawler.validate.interface import Built, Validator
from crawler.validate.precompiled import STALE, precompiled, prelude_of

AMD: Final = ("gfx90a", "gfx942", "gfx1100", "gfx1201")
NVIDIA: Final = ("sm_80", "sm_90")
LIMITS: Final = Limits(seconds=120, memory_bytes=6 << 30, file_bytes=256 << 20)
_SECONDS_EACH: Final = 1.0
_MANY: Final = 128
"""Instantiations above which a unit is optimised less: minutes of a compiler's time, for no other verdict."""
_LOG: Final = 1 << 20
_SOURCES: Final = {Dialect.HIP: "unit.hip", Dialect.CUDA: "unit.cu"}
_FORMS: Final = {Dialect.HIP: "code", Dialect.CUDA: "ptx"}
# by the rules of modules, a host and a device overload in one precompiled header are two definitions of one function
REMARKS: Final = ("-Rpass-analysis=kernel-resource-usage",)
PLAIN_HEADERS: Final = ("-Xclang", "-fno-cxx-modules")
_LAUNCHING: Final = re.compile(
    r"reference to (?:__global__ function|__host__ function '\w*(?:ConfigureCall|CallConfiguration)')"
    r"|kernel launch from __device__ or __global__ functions requires"
)
_IMAGES: Final = "The image/texture API not supported on the device"
UNKNOWN: Final = re.compile(
    r"unknown type name|undeclared identifier|no template named|no (?:type|member) named|undefined"
)
"""What a compiler says of a name that nothing declares."""
_QUIET: Final = ("-w", "-ferror-limit=50", "-fno-caret-diagnostics", "-fno-color-diagnostics", "-fno-crash-diagnostics")


@dataclass(frozen=True, slots=True)
class Compilation:
    """A finished compiler run and what it left."""

    finished: Finished
    object: bytes
    log: str


class DeviceCompiler:
    """clang, for the dialects and targets that it can serve here."""

    name = "clang"
    order = 50
    forms: Mapping[Dialect, str] = _FORMS

    def __init__(self, *more: str) -> None:
        self._more = more
        """Flags of code generation beside the usual."""

    def targets(self, dialect: Dialect) -> tuple[str, ...]:
        """Return what clang can compile `dialect` for here."""
        if toolchain.clang() is None:
            return ()
        if dialect is Dialect.CUDA:
            return NVIDIA
        return tuple(arch for arch in AMD if _device_library(arch) is not None)

    def build(self, unit: KernelUnit, target: str) -> Built:
        """Compile `unit` into one object for `target`."""
        began = time.monotonic()
        for economy in self.economies(unit):
            compilation = self.compiled(unit, target, (*economy, *self._more))
            verdict, symbols = _judge(unit, compilation)
            if verdict.status is Status.PASS:
                break
        code = compilation.object if verdict.status is Status.PASS else b""
        build = Build(
            unit=unit.digest,
            target=target,
            toolchain=self.recorded(unit.dialect, *economy),
            pass_call=verdict,
            form=self.forms[unit.dialect] if code else "",
            object_digest=hashlib.sha256(code).hexdigest() if code else "",
            symbols=symbols if code else (),
            resources=self.used(compilation.log) if code else (),
            diagnostics=() if code else messages.diagnostics(compilation.log),
            seconds=round(time.monotonic() - began, 3),
        )
        return Built(build=build, object=code)

    def compiled(self, unit: KernelUnit, target: str, economy: tuple[str, ...]) -> Compilation:
        """Run the compiler once."""
        return _compile(unit, target, economy)

    def economies(self, unit: KernelUnit) -> tuple[tuple[str, ...], ...]:
        """Return the flags of the levels of optimisation to try, until one passes."""
        return _economies(unit)

    def used(self, log: str) -> tuple[Resources, ...]:
        """Return what each kernel uses, from what the compiler said."""
        return messages.resources(log)

    def recorded(self, dialect: Dialect, *flags: str) -> Toolchain:
        """Return the toolchain that a build is recorded with."""
        return _toolchain(dialect, *flags)


def _compile(unit: KernelUnit, target: str, economy: tuple[str, ...]) -> Compilation:
    flags = _flags(unit, target)
    clang = toolchain.clang()
    assert clang is not None
    prelude = prelude_of(unit.source)
    header = precompiled(prelude, clang.path, flags) if prelude else None
    compiler = (str(clang.path), *flags, *economy)
    compilation = run(unit, compiler, header)
    if header is not None and compilation.finished.exit_code and STALE.search(compilation.log):
        return run(unit, compiler)
    return compilation


def _economies(unit: KernelUnit) -> tuple[tuple[str, ...], ...]:
    """Return the levels of optimisation to try, until one passes.

    PTX is optimised again by whoever loads it; without optimisation, code that nothing reaches may lack a function.
    """
    if len(unit.instantiations) <= _MANY:
        return ((),)
    return (("-O0",), ("-O1",)) if unit.dialect is Dialect.CUDA else (("-O1",),)


def run(
    unit: KernelUnit,
    compiler: tuple[str, ...],
    header: Path | None = None,
    *,
    seen: tuple[Path, ...] = (),
    quiet: tuple[str, ...] = _QUIET,
) -> Compilation:
    """Compile a unit inside the sandbox, where the folders `seen` can be read, too."""
    work = Path(tempfile.mkdtemp(prefix="kernelset-build-"))
    try:
        work.chmod(0o755)
        source, target = _SOURCES[unit.dialect], work / "unit.out"
        (work / source).write_text(unit.source, "utf-8", "surrogateescape")
        use = ("-include-pch", str(header)) if header else ()
        argv = (*compiler, *use, *quiet, source, "-o", target.name)
        mounts = [Mount(source=headers.ROOT, target=str(headers.ROOT))]
        mounts += [Mount(source=work, target=str(work), writable=True, brings=(target.name,))]
        mounts += [Mount(source=folder, target=str(folder)) for folder in (folders.folder(), *seen)]
        limits = _limits(unit)
        ended = sandbox.run(argv, mounts=mounts, cwd=str(work), limits=limits, keep=_LOG, plain_if_unavailable=True)
        code = target.read_bytes() if target.is_file() and not target.is_symlink() else b""
        return Compilation(ended, code, ended.text)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _limits(unit: KernelUnit) -> Limits:
    """A unit of hundreds of instantiations is no bomb: each has its share of time."""
    wanted = LIMITS.seconds + _SECONDS_EACH * len(unit.instantiations)
    return replace(LIMITS, seconds=min(wanted, 8 * LIMITS.seconds))


def _judge(unit: KernelUnit, compilation: Compilation) -> tuple[Verdict, tuple[str, ...]]:
    ended = compilation.finished
    if ended.timed_out:
        return _failed("compile-timeout", f"no result after {_limits(unit).seconds:.0f} s"), ()
    if ended.exit_code or not compilation.object:
        return _blocked(unit, _explained(compilation)), ()
    missing = objects.undefined(compilation.object) if unit.dialect is Dialect.CUDA else ()
    if missing:
        return _failed("link-error", f"undefined: {', '.join(missing[:5])}"), ()
    symbols = objects.kernels(compilation.object)
    absent = _absent(unit, symbols)
    if absent:
        return _failed("entry-missing", f"the object has no entry for {absent}"), ()
    return Verdict(status=Status.PASS), symbols


def _explained(compilation: Compilation) -> Verdict:
    log = compilation.log
    first = next((each for each in messages.diagnostics(log) if each.severity in ("error", "fatal")), None)
    message = _first_line(first, log)
    if "out of memory" in log or "std::bad_alloc" in log:
        return _failed("compile-memory", message)
    if compilation.finished.exit_code < 0 or "PLEASE submit a bug report" in log or "Stack dump:" in log:
        return _failed("compile-crashed", message)
    if "error in backend" in log:
        return _failed("backend-error", message)
    if "lld: error" in log or "ld.lld" in message:
        return _failed("link-error", message)
    if _LAUNCHING.search(message):
        advice = "a launch in device code takes a device linker: build it with nvcc -rdc=true"
        return Verdict(status=Status.UNSUPPORTED, code="dynamic-parallelism", message=f"{message}; {advice}")
    if _IMAGES in message:
        advice = "this device has no image instructions: build it for one that has, such as gfx90a or gfx1100"
        return Verdict(status=Status.UNSUPPORTED, code="no-images", message=f"{message}; {advice}")
    return _failed("compile-error", message)


def _blocked(unit: KernelUnit, verdict: Verdict) -> Verdict:
    """A port that was known to be impossible is unsupported; its own class says more than the compiler does."""
    if unit.port_report is None or not unit.port_report.blockers:
        return _incomplete(unit, verdict)
    kind, line = unit.port_report.blockers[0]
    code = f"port-{kind.replace('_', '-')}"
    return Verdict(status=Status.UNSUPPORTED, code=code, message=f"{kind} in line {line}; {verdict.message}")


def _incomplete(unit: KernelUnit, verdict: Verdict) -> Verdict:
    """Where a name is unknown and the project lacks headers, they are the reason."""
    if verdict.code != "compile-error" or not unit.missing_headers or not UNKNOWN.search(verdict.message):
        return verdict
    listed = ", ".join(unit.missing_headers[:3]) + (", …" if len(unit.missing_headers) > 3 else "")
    what = "crawl the repository with its submodules, or a release that has them"
    return _failed("missing-header", f"{verdict.message}; {listed} not among the sources: {what}")


def _failed(code: str, message: str) -> Verdict:
    return Verdict(status=Status.FAIL, code=code, message=message)


def _first_line(first: Diagnostic | None, log: str) -> str:
    if first is None:
        return next(iter(log.strip().splitlines()), "the compiler said nothing")[:500]
    place = f"{first.path}:{first.line}: " if first.path else ""
    return f"{place}{first.message}"[:500]


def _absent(unit: KernelUnit, symbols: tuple[str, ...]) -> str:
    """Return what has no entry: by its mangled name, else by the kernel's own name and the number of its entries."""
    name = unit.kernel_name.rpartition("::")[2]
    own = [symbol for symbol in symbols if symbol == name or f"{len(name)}{name}" in symbol]
    wanted = max(1, len(unit.instantiations))
    if len(own) >= wanted:
        return ""
    unknown = [each for each in unit.instantiations if each.symbol not in symbols]
    return unknown[0].label or name if unknown and own else name


def _flags(unit: KernelUnit, target: str) -> tuple[str, ...]:
    flags = compile_flags(unit.dialect, target, unit.standard)
    if unit.standard != standards.USUAL:
        flags += PLAIN_HEADERS
    if unit.dialect is Dialect.CUDA:
        return flags
    library = _device_library(target)
    return (*flags, *REMARKS, f"--rocm-device-lib-path={library}")


def _device_library(arch: str) -> Path | None:
    """Return a folder with AMD's device library for `arch`, made where the installed one is older than it."""
    rocm, clang = toolchain.rocm(), toolchain.clang()
    if rocm is None or clang is None or not isa.version(arch):
        return None
    if isa.is_stock(arch, rocm.bitcode):
        return rocm.bitcode
    key = hashlib.sha256(f"{arch} {rocm} {clang.version}".encode()).hexdigest()
    bitcode = rocm.bitcode
    own = isa.version_file(Path(), arch).name
    return folders.made(f"isa-{key}", lambda folder: isa.synthesise(arch, bitcode, folder, clang), holds=own)


@cache
def _toolchain(dialect: Dialect, *flags: str) -> Toolchain:
    clang, rocm = toolchain.clang(), toolchain.rocm()
    compiler = " ".join(("clang", clang.version, *flags)) if clang else ""
    shim = f"kernelset {headers.digest()[:12]}"
    made = Toolchain(compiler=compiler, headers=shim, digest=toolchain.digest())
    if dialect is Dialect.CUDA or rocm is None:
        return made
    library = hashlib.sha256((rocm.bitcode / "ocml.bc").read_bytes()).hexdigest()[:12]
    return replace(made, device_library=f"ocml {library}", headers=f"HIP {rocm.version}, {shim}")


PLUGIN: Final[Validator] = DeviceCompiler()
