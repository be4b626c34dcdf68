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
from crawler.process_limits import Limits
from crawler.toolchains import discovery, nvcc_flags
from crawler.validate.toolchains.clang_compiler import ClangCompiler
from crawler.validate.toolchains.ptxas_messages import parse_ptxas_resources
from crawler.validate.toolchains.sandboxed_compiler import (
    CompilerRun,
    compile_in_sandbox,
)
from crawler.validate.validator_interface import Validator

_QUERY_LIMITS: Final = Limits(seconds=20)
_MESSAGE_FLAGS: Final = ("-w", "-Xcudafe", "--error_limit=50")
# what nvcc prints when it is asked: targets, the folders of a dry run, its version
_TARGET_LINE: Final = re.compile(r"^sm_\d+\w?$", re.MULTILINE)
_INCLUDE_FLAG: Final = re.compile(r"\"?-I\"?\s*\"?([^\s\"]+)")
_VERSION: Final = re.compile(r"V(\d+(?:\.\d+)+)")
_KNOWN_STANDARDS: Final = MappingProxyType(
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
        toolkit = find_toolkit() if dialect is Dialect.CUDA else None
        return toolkit.targets if toolkit else ()

    def run_compiler(
        self, unit: KernelUnit, target: str, optimisation_flags: tuple[str, ...]
    ) -> CompilerRun:
        """Run nvcc once."""
        toolkit = find_toolkit()
        assert toolkit is not None
        standard = _KNOWN_STANDARDS.get(unit.standard, unit.standard)
        flags = nvcc_flags.get_nvcc_compile_flags(target, standard)
        return compile_in_sandbox(
            unit,
            (str(toolkit.path), *flags, *optimisation_flags),
            readable_folders=(toolkit.root,),
            message_flags=_MESSAGE_FLAGS,
        )

    def optimisation_levels(self, unit: KernelUnit) -> tuple[tuple[str, ...], ...]:
        """Optimise whatever the number of instantiations: what is asked for by name may take
        its time.
        """
        return ((),)

    def parse_resources(self, log: str) -> tuple[Resources, ...]:
        """Return what its assembler says of each kernel."""
        return parse_ptxas_resources(log)

    def describe_toolchain(self, dialect: Dialect, *flags: str) -> Toolchain:
        """Return nvcc's version; the headers are its own, but for ours before them."""
        toolkit = find_toolkit()
        assert toolkit is not None
        compiler = " ".join(("nvcc", toolkit.version, *flags))
        own_headers = f"kernelset {headers.headers_digest()[:12]}"
        used_headers = f"CUDA {toolkit.version}, {own_headers}"
        identity = f"{compiler} {used_headers} {toolkit.root}"
        digest = hashlib.sha256(identity.encode()).hexdigest()

        return Toolchain(compiler=compiler, headers=used_headers, digest=digest)


@cache
def find_toolkit() -> CudaToolkit | None:
    """Return the installed toolkit, or `None` where there is no nvcc, or one without the
    runtime's headers.
    """
    path = discovery.find_nvcc()
    if path is None:
        return None

    include_folder = _find_include_folder(path)
    version = _VERSION.search(_query(path, "--version"))
    if include_folder is None or version is None:
        return None

    return CudaToolkit(
        path=path,
        root=_toolkit_root(include_folder.resolve()),
        version=version[1],
        targets=tuple(_TARGET_LINE.findall(_query(path, "--list-gpu-code"))),
    )


def _find_include_folder(nvcc: Path) -> Path | None:
    """Return where nvcc would find the runtime's headers."""
    plan = _query(nvcc, "--dryrun", "-x", "cu", "-cubin", "unit.cu")
    for folder in _INCLUDE_FLAG.findall(plan):
        if Path(folder, "cuda_runtime.h").is_file():
            return Path(folder)
    return None


def _toolkit_root(include_folder: Path) -> Path:
    """Return the folder of the toolkit that an include folder lies in, with or without
    `targets/ARCH` between.
    """
    if include_folder.parents[1].name == "targets":
        return include_folder.parents[2]
    return include_folder.parent


def _query(program: Path, *options: str) -> str:
    return process.run([str(program), *options], limits=_QUERY_LIMITS).text


PLUGIN: Final[Validator] = NvccCompiler()
