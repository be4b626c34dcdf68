"""Compile device code with NVIDIA's nvcc, where a CUDA toolkit is installed."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from crawler import headers, process
from crawler.model import Dialect, KernelUnit, Resources, Toolchain
from crawler.process import Limits
from crawler.toolchains import discovery, nvcc_flags
from crawler.validate.compilers import ptxas
from crawler.validate.compilers.clang import (
    ClangCompiler,
    CompilerRun,
    compile_in_sandbox,
)
from crawler.validate.validator_interface import Validator

_ASKED: Final = Limits(seconds=20)
_QUIET: Final = ("-w", "-Xcudafe", "--error_limit=50")
_TARGETS: Final = re.compile(r"^sm_\d+\w?$", re.MULTILINE)
_INCLUDE: Final = re.compile(r"\"?-I\"?\s*\"?([^\s\"]+)")
_STANDARDS: Final = MappingProxyType(
    {"c++23": "c++20", "c++2b": "c++20", "c++2a": "c++20"}
)
"""What it does not know, and the nearest that it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CudaToolkit:
    """An installed CUDA toolkit that compiles device code."""

    path: Path
    root: Path
    version: str
    targets: tuple[str, ...]


class NvccCompiler(ClangCompiler):
    """nvcc: machine code for NVIDIA with its resource use, against NVIDIA's own headers."""

    name = "nvcc"
    order = 55
    forms = MappingProxyType({Dialect.CUDA: "code"})

    def targets(self, dialect: Dialect) -> tuple[str, ...]:
        """Return the archs that the installed nvcc makes code for."""
        found = find_toolkit() if dialect is Dialect.CUDA else None
        return found.targets if found else ()

    def run_compiler(
        self, unit: KernelUnit, target: str, optimisation_flags: tuple[str, ...]
    ) -> CompilerRun:
        """Run nvcc once."""
        found = find_toolkit()
        assert found is not None
        flags = nvcc_flags.get_nvcc_compile_flags(
            target, _STANDARDS.get(unit.standard, unit.standard)
        )
        seen = () if found.root.is_relative_to("/usr") else (found.root,)
        return compile_in_sandbox(
            unit,
            (str(found.path), *flags, *optimisation_flags),
            readable_folders=seen,
            message_flags=_QUIET,
        )

    def optimisation_levels(self, unit: KernelUnit) -> tuple[tuple[str, ...], ...]:
        """Optimise whatever the number of instantiations: what is asked for by name may take
        its time.
        """
        return ((),)

    def parse_resources(self, log: str) -> tuple[Resources, ...]:
        """Return what its assembler says of each kernel."""
        return ptxas.parse_ptxas_resources(log)

    def describe_toolchain(self, dialect: Dialect, *flags: str) -> Toolchain:
        """Return nvcc's version; the headers are its own, but for ours before them."""
        found = find_toolkit()
        assert found is not None
        compiler = " ".join(("nvcc", found.version, *flags))
        shown = f"CUDA {found.version}, kernelset {headers.headers_digest()[:12]}"
        digest = hashlib.sha256(f"{compiler} {shown} {found.root}".encode()).hexdigest()
        return Toolchain(compiler=compiler, headers=shown, digest=digest)


@cache
def find_toolkit() -> CudaToolkit | None:
    """Return the installed toolkit, or `None` where there is no nvcc, or one without the
    runtime's headers.
    """
    path = discovery.find_nvcc()
    if path is None:
        return None
    planned = process.run(
        [str(path), "--dryrun", "-x", "cu", "-cubin", "unit.cu"], limits=_ASKED
    ).text
    folder = next(
        (
            Path(each)
            for each in _INCLUDE.findall(planned)
            if Path(each, "cuda_runtime.h").is_file()
        ),
        None,
    )
    version = re.search(r"V(\d+(?:\.\d+)+)", _said(path, "--version"))
    if folder is None or version is None:
        return None
    targets = tuple(_TARGETS.findall(_said(path, "--list-gpu-code")))
    return CudaToolkit(
        path=path, root=_root(folder.resolve()), version=version[1], targets=targets
    )


def _root(include: Path) -> Path:
    """Return the folder of the toolkit that an include folder lies in, with or without
    `targets/ARCH` between.
    """
    return (
        include.parents[2] if include.parents[1].name == "targets" else include.parent
    )


def _said(program: Path, option: str) -> str:
    return process.run([str(program), option], limits=_ASKED).text


PLUGIN: Final[Validator] = NvccCompiler()
