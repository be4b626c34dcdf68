"""Assemble clang's PTX, linked with libdevice, into machine code with NVIDIA's ptxas."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from typing import Final

from crawler.model import Dialect, KernelUnit, Status, Toolchain, Verdict
from crawler.toolchains import discovery
from crawler.validate.toolchains.clang_compiler import NVIDIA_TARGETS, ClangCompiler
from crawler.validate.toolchains.ptx_assembly import assemble, explain_failure
from crawler.validate.toolchains.ptxas_messages import parse_ptxas_resources
from crawler.validate.validator_interface import Built, Validator


class _PtxCompiler(ClangCompiler):
    """clang, whose PTX is assembled here and need not be judged before."""

    def judge_object(self, unit: KernelUnit, target: str, code: bytes) -> Verdict:
        return Verdict(status=Status.PASS)


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
        compiled = _PtxCompiler(*linking_flags).build(unit, target)
        toolchain = _describe_toolchain(compiled.build.toolchain)
        build = replace(compiled.build, toolchain=toolchain)
        if build.pass_call.status is not Status.PASS:
            return Built(build=build)

        assembler = assemble(compiled.object, target, ("-v",))
        code = assembler.code
        build = replace(build, seconds=round(time.monotonic() - start, 3))
        if assembler.process.exit_code or not code:
            failed_build = replace(
                build,
                pass_call=explain_failure(assembler),
                form="",
                object_digest="",
                symbols=(),
            )
            return Built(build=failed_build)

        build = replace(
            build,
            form="code",
            object_digest=hashlib.sha256(code).hexdigest(),
            resources=parse_ptxas_resources(assembler.process.text),
        )

        return Built(build=build, object=code)


def _describe_toolchain(clang: Toolchain) -> Toolchain:
    library = discovery.find_libdevice()
    assert library is not None
    library_digest = hashlib.sha256(library.read_bytes()).hexdigest()
    device_library = f"libdevice {library_digest[:12]}"
    identity = f"{clang.digest} linked {device_library}"

    return replace(
        clang,
        device_library=device_library,
        digest=hashlib.sha256(identity.encode()).hexdigest(),
    )


PLUGIN: Final[Validator] = PtxasCompiler()
