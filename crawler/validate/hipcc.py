"""A real ROCm, where one is installed: its own compiler, headers and device library, for the archs that it knows."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from crawler import headers, standards, toolchain
from crawler.headers import hip_flags
from crawler.model import Dialect, KernelUnit, Toolchain
from crawler.validate import isa
from crawler.validate.clang import PLAIN_HEADERS, REMARKS, Compilation, DeviceCompiler, run
from crawler.validate.interface import Validator


class Hipcc(DeviceCompiler):
    """hipcc of an installed ROCm, asked before a clang that is not AMD's own."""

    name = "hipcc"
    order = 40

    def targets(self, dialect: Dialect) -> tuple[str, ...]:
        """Return the offload archs that the installed device library has."""
        found = toolchain.hipcc()
        return isa.archs(found.bitcode) if found and dialect is Dialect.HIP else ()

    def compiled(self, unit: KernelUnit, target: str, economy: tuple[str, ...]) -> Compilation:
        """Run hipcc once."""
        found = toolchain.hipcc()
        assert found is not None
        flags = hip_flags.compile_flags(target, unit.standard, own=True)
        flags += PLAIN_HEADERS if unit.standard != standards.USUAL else ()
        seen = () if found.root.is_relative_to("/usr") or found.root == Path("/opt/rocm") else (found.root,)
        return run(unit, (str(found.path), *flags, *REMARKS, *economy), seen=seen)

    def recorded(self, dialect: Dialect, *flags: str) -> Toolchain:
        """Return hipcc's version, and whose headers and library it compiled against."""
        found = toolchain.hipcc()
        assert found is not None
        compiler = " ".join(("hipcc", found.version, *flags))
        library = hashlib.sha256((found.bitcode / "ocml.bc").read_bytes()).hexdigest()[:12]
        shown = f"HIP {found.version}, kernelset {headers.digest()[:12]}"
        digest = hashlib.sha256(f"{compiler} {library} {shown} {found.root}".encode()).hexdigest()
        return Toolchain(compiler=compiler, device_library=f"ocml {library}", headers=shown, digest=digest)


PLUGIN: Final[Validator] = Hipcc()
