"""Compile device code with the hipcc of an installed ROCm, for the offload archs that its
device library knows.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.cpp import language_standard
from crawler.model import Dialect, KernelUnit, Toolchain
from crawler.toolchains import discovery, hip_flags
from crawler.validate.compilers.clang import (
    RESOURCE_REMARK_FLAGS,
    TEXTUAL_HEADER_FLAGS,
    ClangCompiler,
    CompilerRun,
    compile_in_sandbox,
)
from crawler.validate.toolchains import amd_device_library
from crawler.validate.validator_interface import Validator


class HipccCompiler(ClangCompiler):
    """hipcc of an installed ROCm, asked before a clang that is not AMD's own."""

    name = "hipcc"
    order = 40

    def targets(self, dialect: Dialect) -> tuple[str, ...]:
        """Return the offload archs that the installed device library has."""
        found = discovery.find_hipcc()
        return (
            amd_device_library.list_archs(found.bitcode)
            if found and dialect is Dialect.HIP
            else ()
        )

    def run_compiler(
        self, unit: KernelUnit, target: str, optimisation_flags: tuple[str, ...]
    ) -> CompilerRun:
        """Run hipcc once."""
        found = discovery.find_hipcc()
        assert found is not None
        flags = hip_flags.get_hip_compile_flags(
            target, unit.standard, is_vendor_compiler=True
        )
        flags += (
            TEXTUAL_HEADER_FLAGS
            if unit.standard != language_standard.DEFAULT_STANDARD
            else ()
        )
        seen = (
            ()
            if found.root.is_relative_to("/usr") or found.root == Path("/opt/rocm")
            else (found.root,)
        )
        return compile_in_sandbox(
            unit,
            (str(found.path), *flags, *RESOURCE_REMARK_FLAGS, *optimisation_flags),
            readable_folders=seen,
        )

    def describe_toolchain(self, dialect: Dialect, *flags: str) -> Toolchain:
        """Return hipcc's version, and whose headers and library it compiled against."""
        found = discovery.find_hipcc()
        assert found is not None
        compiler = " ".join(("hipcc", found.version, *flags))
        library = hashlib.sha256((found.bitcode / "ocml.bc").read_bytes()).hexdigest()[
            :12
        ]
        shown = f"HIP {found.version}, kernelset {headers.headers_digest()[:12]}"
        digest = hashlib.sha256(
            f"{compiler} {library} {shown} {found.root}".encode()
        ).hexdigest()
        return Toolchain(
            compiler=compiler,
            device_library=f"ocml {library}",
            headers=shown,
            digest=digest,
        )


PLUGIN: Final[Validator] = HipccCompiler()
