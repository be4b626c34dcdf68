"""Assemble clang's PTX, linked with libdevice, into machine code with NVIDIA's ptxas."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from crawler import process, sandbox
from crawler.model import Dialect, KernelUnit, Resources, Status, Toolchain, Verdict
from crawler.process import CompletedProcess, Limits
from crawler.sandbox import Mount
from crawler.toolchains import discovery
from crawler.validate.compilers.clang import NVIDIA_TARGETS, ClangCompiler
from crawler.validate.validator_interface import Built, Validator

ASSEMBLER_LIMITS: Final = Limits(
    seconds=300, memory_bytes=6 << 30, file_bytes=256 << 20
)
_LOG: Final = 1 << 20
_ENTRY: Final = re.compile(r"Compiling entry function '(?P<symbol>[\w$]+)'")
_USED: Final = {
    "registers": re.compile(r"Used (\d+) registers"),
    "shared_bytes": re.compile(r"(\d+) bytes smem"),
    "scratch_bytes": re.compile(r"(\d+) bytes stack frame"),
    "spills": re.compile(r"(\d+) bytes spill stores"),
}
# CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", for 8.0 and
# 9.0: 64 K registers and 64
# resident warps a multiprocessor; registers are given to warps in units of 256, warps in units
# of 4
_REGISTERS: Final = 64 << 10
_WARPS: Final = 64
_UNIT: Final = 256
_WARPS_TOGETHER: Final = 4


class PtxasCompiler:
    """ptxas behind clang: asked for by name, or where nothing else serves a target."""

    name = "ptxas"
    order = 60

    def targets(self, dialect: Dialect) -> tuple[str, ...]:
        """Return what can be assembled here: it takes clang, ptxas and libdevice."""
        have = (
            dialect is Dialect.CUDA
            and discovery.find_clang()
            and discovery.find_ptxas()
            and discovery.find_libdevice()
        )
        return NVIDIA_TARGETS if have else ()

    def build(self, unit: KernelUnit, target: str) -> Built:
        """Compile `unit` into one cubin for `target`."""
        began = time.monotonic()
        library = discovery.find_libdevice()
        assert library is not None
        linked = ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(library))
        made = ClangCompiler(*linked).build(unit, target)
        build = replace(made.build, toolchain=_toolchain(made.build.toolchain))
        if build.pass_call.status is not Status.PASS:
            return Built(build=build)
        ended, code = _assembled(made.object, target)
        seconds = round(time.monotonic() - began, 3)
        if ended.exit_code or not code:
            verdict = _failed(ended)
            return Built(
                build=replace(
                    build,
                    pass_call=verdict,
                    form="",
                    object_digest="",
                    symbols=(),
                    seconds=seconds,
                )
            )
        digest, used = (
            hashlib.sha256(code).hexdigest(),
            parse_ptxas_resources(ended.text),
        )
        build = replace(
            build, form="code", object_digest=digest, resources=used, seconds=seconds
        )
        return Built(build=build, object=code)


def parse_ptxas_resources(log: str) -> tuple[Resources, ...]:
    """Return what each kernel uses, as `ptxas -v` says it: spills are bytes stored, occupancy
    is warps.
    """
    parts = list(_ENTRY.finditer(log))
    ends = [*(part.start() for part in parts[1:]), len(log)]
    return tuple(
        _used(part["symbol"], log[part.end() : end])
        for part, end in zip(parts, ends, strict=True)
    )


def warps_per_multiprocessor(registers: int) -> int:
    """Return how many warps a multiprocessor holds at most, by their registers alone."""
    a_warp = -(-max(registers, 1) * 32 // _UNIT) * _UNIT
    return min(_WARPS, _REGISTERS // a_warp // _WARPS_TOGETHER * _WARPS_TOGETHER)


def _used(symbol: str, told: str) -> Resources:
    numbers = {
        name: int(found[1]) if (found := pattern.search(told)) else 0
        for name, pattern in _USED.items()
    }
    return Resources(
        symbol=symbol,
        **numbers,
        occupancy=warps_per_multiprocessor(numbers["registers"]),
    )


def _assembled(ptx: bytes, target: str) -> tuple[CompletedProcess, bytes]:
    work = Path(tempfile.mkdtemp(prefix="kernelset-ptxas-"))
    try:
        work.chmod(0o755)
        (work / "unit.ptx").write_bytes(ptx)
        argv = (
            str(discovery.find_ptxas()),
            "-v",
            f"-arch={target}",
            "-o",
            "unit.cubin",
            "unit.ptx",
        )
        mounts = [
            Mount(
                source=work, target=str(work), writable=True, copy_back=("unit.cubin",)
            )
        ]
        ended = sandbox.run(
            argv,
            mounts=mounts,
            cwd=str(work),
            limits=ASSEMBLER_LIMITS,
            keep=_LOG,
            plain_if_unavailable=True,
        )
        cubin = work / "unit.cubin"
        return (
            ended,
            cubin.read_bytes() if cubin.is_file() and not cubin.is_symlink() else b"",
        )
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _failed(ended: CompletedProcess) -> Verdict:
    if ended.timed_out:
        return Verdict(
            status=Status.FAIL,
            code="compile-timeout",
            message=f"no result after {ASSEMBLER_LIMITS.seconds:.0f} s",
        )
    said = next(
        (
            line
            for line in ended.text.splitlines()
            if "error" in line or "fatal" in line
        ),
        ended.text[:200],
    )
    return Verdict(
        status=Status.FAIL,
        code="assembler-error",
        message=said.strip()[:500] or "ptxas said nothing",
    )


def _toolchain(clang: Toolchain) -> Toolchain:
    library = discovery.find_libdevice()
    assert library is not None
    compiler = f"{clang.compiler}, ptxas {_version()}"
    device_library = (
        f"libdevice {hashlib.sha256(library.read_bytes()).hexdigest()[:12]}"
    )
    digest = hashlib.sha256(
        f"{clang.digest} {compiler} {device_library}".encode()
    ).hexdigest()
    return replace(
        clang, compiler=compiler, device_library=device_library, digest=digest
    )


@cache
def _version() -> str:
    found = re.search(
        r"V(\d+(?:\.\d+)+)",
        process.run([str(discovery.find_ptxas()), "--version"]).text,
    )
    return found[1] if found else "unknown"


PLUGIN: Final[Validator] = PtxasCompiler()
