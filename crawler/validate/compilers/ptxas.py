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

from crawler import process
from crawler.model import Dialect, KernelUnit, Status, Toolchain, Verdict
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.toolchains import discovery
from crawler.validate.toolchains.clang_compiler import NVIDIA_TARGETS, ClangCompiler
from crawler.validate.toolchains.compile_verdicts import fail
from crawler.validate.toolchains.ptxas_messages import parse_ptxas_resources
from crawler.validate.toolchains.sandboxed_compiler import (
    read_regular_file,
    run_in_folder,
)
from crawler.validate.validator_interface import Built, Validator

ASSEMBLER_LIMITS: Final = Limits(
    seconds=300, memory_bytes=6 << 30, file_bytes=256 << 20
)

_PTX_FILE: Final = "unit.ptx"
_CUBIN_FILE: Final = "unit.cubin"
_VERSION: Final = re.compile(r"V(\d+(?:\.\d+)+)")


class PtxasCompiler:
    """ptxas behind clang: asked for by name, or where nothing else serves a target."""

    name = "ptxas"
    order = 60

    def targets(self, dialect: Dialect) -> tuple[str, ...]:
        """Return what can be assembled here: it takes clang, ptxas and libdevice."""
        if dialect is not Dialect.CUDA:
            return ()
        tools = (discovery.find_clang, discovery.find_ptxas, discovery.find_libdevice)
        return NVIDIA_TARGETS if all(find_tool() for find_tool in tools) else ()

    def build(self, unit: KernelUnit, target: str) -> Built:
        """Compile `unit` into one cubin for `target`."""
        start = time.monotonic()
        library = discovery.find_libdevice()
        assert library is not None
        # clang leaves `__nv_expf` and the like undefined: libdevice defines them
        linking_flags = ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(library))
        compiled = ClangCompiler(*linking_flags).build(unit, target)
        toolchain = _describe_toolchain(compiled.build.toolchain)
        build = replace(compiled.build, toolchain=toolchain)
        if build.pass_call.status is not Status.PASS:
            return Built(build=build)

        assembler, code = _assemble(compiled.object, target)
        build = replace(build, seconds=round(time.monotonic() - start, 3))
        if assembler.exit_code or not code:
            failed_build = replace(
                build,
                pass_call=_explain_failure(assembler),
                form="",
                object_digest="",
                symbols=(),
            )
            return Built(build=failed_build)

        build = replace(
            build,
            form="code",
            object_digest=hashlib.sha256(code).hexdigest(),
            resources=parse_ptxas_resources(assembler.text),
        )

        return Built(build=build, object=code)


def _assemble(ptx: bytes, target: str) -> tuple[CompletedProcess, bytes]:
    """Return how ptxas ended, and the cubin, empty for none."""
    command = (
        str(discovery.find_ptxas()),
        "-v",
        f"-arch={target}",
        "-o",
        _CUBIN_FILE,
        _PTX_FILE,
    )
    work = Path(tempfile.mkdtemp(prefix="kernelset-ptxas-"))
    try:
        # the assembler runs as another user
        work.chmod(0o755)
        (work / _PTX_FILE).write_bytes(ptx)
        assembler = run_in_folder(
            command, work, output_file=_CUBIN_FILE, limits=ASSEMBLER_LIMITS
        )
        return assembler, read_regular_file(work / _CUBIN_FILE)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _explain_failure(assembler: CompletedProcess) -> Verdict:
    if assembler.timed_out:
        seconds = ASSEMBLER_LIMITS.seconds
        return fail("compile-timeout", f"no result after {seconds:.0f} s")

    message = assembler.text[:200]
    for line in assembler.text.splitlines():
        if "error" in line or "fatal" in line:
            message = line
            break

    return fail("assembler-error", message.strip()[:500] or "ptxas said nothing")


def _describe_toolchain(clang: Toolchain) -> Toolchain:
    library = discovery.find_libdevice()
    assert library is not None
    library_digest = hashlib.sha256(library.read_bytes()).hexdigest()
    compiler = f"{clang.compiler}, ptxas {_query_version()}"
    device_library = f"libdevice {library_digest[:12]}"
    identity = f"{clang.digest} {compiler} {device_library}"

    return replace(
        clang,
        compiler=compiler,
        device_library=device_library,
        digest=hashlib.sha256(identity.encode()).hexdigest(),
    )


@cache
def _query_version() -> str:
    answer = process.run([str(discovery.find_ptxas()), "--version"])
    version = _VERSION.search(answer.text)
    return version[1] if version else "unknown"


PLUGIN: Final[Validator] = PtxasCompiler()
