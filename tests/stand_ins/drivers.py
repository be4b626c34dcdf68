"""Builds stand-ins for the drivers of both vendors, and objects that they run."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from crawler.model import KernelUnit
from crawler.toolchains import discovery
from crawler.toolchains.cpu_flags import get_cpu_compile_flags
from crawler.validate.emulator.source.program_source import (
    build_program_source,
    list_kernel_addresses,
)

HERE = Path(__file__).parent
LIBRARIES = {"rocm": "libamdhip64.so", "cuda": "libcuda.so.1"}
MODELS = {
    "rocm": {"name": "AMD Stand-in", "arch": "gfx90a:sramecc+:xnack-"},
    "cuda": {"name": "NVIDIA Stand-in", "major": "9", "minor": "0"},
}


@cache
def driver() -> bytes:
    """Return the library of a stand-in: its file name says for which vendor's it stands."""
    compiler = ("g++", "-std=c++17", "-O0", "-w", "-x", "c++")
    return _compile_library(compiler, (HERE / "driver.cpp").read_text(), ("-ldl",))


def install(folder: Path, runtime: str, **settings: object) -> Path:
    """Lay out a stand-in in a folder, and return its library."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    library = folder / LIBRARIES[runtime]
    library.write_bytes(driver())
    library.chmod(0o755)
    description = {**MODELS[runtime], **settings}
    (folder / "device.txt").write_text(
        "".join(f"{name} {value}\n" for name, value in description.items())
    )
    (folder / "modules").mkdir(exist_ok=True)
    return library


@cache
def raw_object() -> bytes:
    """Return the object of kernels that no compiler would make."""
    return _compile_library(
        ("g++", "-std=c++17", "-O0", "-w", "-pthread", "-x", "c++"),
        '#include "raw.h"\n',
    )


def unit_object(unit: KernelUnit, symbols: Sequence[str]) -> bytes:
    """Return an object of a unit's kernels, each under its symbol; made once."""
    return _unit_object(unit, tuple(symbols))


@cache
def _unit_object(unit: KernelUnit, symbols: tuple[str, ...]) -> bytes:
    clang = discovery.find_clang()
    assert clang is not None
    entries = "".join(
        f'  STAND_IN("{symbol}", {address}),\n'
        for symbol, address in zip(symbols, list_kernel_addresses(unit), strict=True)
        if symbol
    )
    body = build_program_source(unit).partition("\n#include <kernelset/cpu/main.h>")[0]
    text = f'{body}\n#include "unit.h"\nextern "C" const StandInKernel stand_in_kernels[] = {{\n{entries}  {{}}}};\n'
    flags = get_cpu_compile_flags(
        standard=unit.standard, lanes=32, trace=False, contract_floats=False
    )
    return _compile_library((str(clang.path), *flags, "-fvisibility=default"), text)


def _compile_library(
    compiler: Sequence[str], text: str, libraries: Sequence[str] = ()
) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *compiler,
            f"-I{HERE}",
            "-shared",
            "-fPIC",
            "-Wl,-Bsymbolic",
            "-",
            "-o",
            f"{folder}/out.so",
            *libraries,
        ]
        completed = subprocess.run(
            command, input=text.encode(), capture_output=True, check=False
        )
        assert completed.returncode == 0, completed.stderr.decode()
        return (Path(folder) / "out.so").read_bytes()
