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
from crawler.validate.toolchains import amd_device_library
from crawler.validate.toolchains.clang_compiler import (
    RESOURCE_REMARK_FLAGS,
    TEXTUAL_HEADER_FLAGS,
    ClangCompiler,
)
from crawler.validate.toolchains.sandboxed_compiler import (
    CompilerRun,
    compile_in_sandbox,
)
from crawler.validate.validator_interface import Validator

_READABLE_ROOTS: Final = (Path("/usr"), Path("/opt/rocm"))
"""Folders that can be read in every sandbox."""


class HipccCompiler(ClangCompiler):
    """hipcc of an installed ROCm, asked before a clang that is not AMD's own."""

    name = "hipcc"
    order = 40

    def targets(self, dialect: Dialect) -> tuple[str, ...]:
        """Return the offload archs that the installed device library has."""
        hipcc = discovery.find_hipcc()
        if hipcc is None or dialect is not Dialect.HIP:
            return ()
        return amd_device_library.list_archs(hipcc.bitcode)

    def run_compiler(
        self, unit: KernelUnit, target: str, optimisation_flags: tuple[str, ...]
    ) -> CompilerRun:
        """Run hipcc once."""
        hipcc = discovery.find_hipcc()
        assert hipcc is not None
        flags = hip_flags.get_hip_compile_flags(
            target,
            unit.standard,
            is_vendor_compiler=True,
            libraries=unit.installed_libraries,
        )
        if unit.standard != language_standard.DEFAULT_STANDARD:
            flags += TEXTUAL_HEADER_FLAGS

        command = (
            str(hipcc.path),
            *flags,
            *RESOURCE_REMARK_FLAGS,
            *optimisation_flags,
        )

        return compile_in_sandbox(
            unit, command, readable_folders=_folders_to_mount(hipcc.root)
        )

    def describe_toolchain(self, dialect: Dialect, *flags: str) -> Toolchain:
        """Return hipcc's version, and whose headers and library it compiled against."""
        hipcc = discovery.find_hipcc()
        assert hipcc is not None
        compiler = " ".join(("hipcc", hipcc.version, *flags))
        used_headers = f"HIP {hipcc.version}, kernelset {headers.headers_digest()[:12]}"
        ocml = (hipcc.bitcode / "ocml.bc").read_bytes()
        library = hashlib.sha256(ocml).hexdigest()[:12]
        identity = f"{compiler} {library} {used_headers} {hipcc.root}"

        return Toolchain(
            compiler=compiler,
            device_library=f"ocml {library}",
            headers=used_headers,
            digest=hashlib.sha256(identity.encode()).hexdigest(),
        )


def _folders_to_mount(root: Path) -> tuple[Path, ...]:
    usr, default_root = _READABLE_ROOTS
    if root.is_relative_to(usr) or root == default_root:
        return ()
    return (root,)


PLUGIN: Final[Validator] = HipccCompiler()
