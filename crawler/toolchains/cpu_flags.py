"""Clang flags for compiling a kernel unit as host C++ for CPU execution."""

from __future__ import annotations

import platform
from typing import Final

from crawler.headers import ROOT

_TREES: Final = ("cpu", "hip_parse", "cuda", "torch", "common")
_OLDEST_STANDARD: Final = "c++17"
_QUIET: Final = (
    "-w",
    # what replaces a device's builtin here is not always a constant expression
    "-Wno-invalid-constexpr",
    # `"%d"NAME`, which gcc and nvcc read as two words
    "-Wno-reserved-user-defined-literal",
    "-ferror-limit=50",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
    "-fno-crash-diagnostics",
)
_RUNTIME: Final = (
    # shared variables have no constructors, and one thread runs at a time
    "-fno-threadsafe-statics",
    "-fno-strict-aliasing",
    "-fstack-clash-protection",
)
# Threads of a block switch stacks in user space. Without a red zone (x86-64 ABI: 128 bytes below
# the stack pointer that leaf functions may use) a switch need not step over it.
_RED_ZONE: Final = (
    ("-mno-red-zone", "-DKERNELSET_NO_RED_ZONE=1")
    if platform.machine() == "x86_64"
    else ()
)
_TRACE: Final = (
    # the instrumentation alone: its runtime is not linked, as our header defines what it calls
    "-Xclang",
    "-fsanitize=thread",
    "-DKERNELSET_TRACE=1",
    "-mllvm",
    "-tsan-instrument-read-before-write=1",
    "-mllvm",
    "-tsan-instrument-func-entry-exit=0",
    # so that each access has the size that the source gives it
    "-fno-vectorize",
    "-fno-slp-vectorize",
)
_COVERED_FILES: Final = ROOT / "cpu" / "kernelset" / "cpu" / "covered.list"
# clang's counters, and the regions that they count on standard output; their runtime is not
# linked either
_COVERAGE: Final = (
    "-Xclang",
    "-fprofile-instrument=clang",
    "-Xclang",
    "-fcoverage-mapping",
    "-Xclang",
    "-dump-coverage-mapping",
    f"-fprofile-list={_COVERED_FILES}",
    "-DKERNELSET_COUNT=1",
)
_CHECKS: Final = ",".join(
    (
        "signed-integer-overflow",
        "integer-divide-by-zero",
        "shift-base",
        "shift-exponent",
        "array-bounds",
        "float-cast-overflow",
        "alignment",
    )
)
_SANITISE: Final = (
    "-Xclang",
    f"-fsanitize={_CHECKS}",
    "-Xclang",
    f"-fsanitize-recover={_CHECKS}",
    "-DKERNELSET_SANITISE=1",
)


def get_cpu_compile_flags(
    *,
    standard: str,
    lanes: int,
    macros: tuple[str, ...] = (),
    trace: bool,
    contract_floats: bool,
    count_branches: bool = False,
    sanitise: bool = False,
    fast_compile: bool = False,
    zero_locals: bool = False,
    soil_locals: bool = False,
) -> tuple[str, ...]:
    """Return the flags that make a program of a unit whose warps have `lanes` lanes.

    `macros` name its device. With `trace` the program reports what each pointer reads and
    writes; with `contract_floats` a multiplication and an addition may round once, as they do
    on a GPU. With `count_branches` it counts how often each branch is taken; with `sanitise` it
    reports undefined behaviour; with `fast_compile` it compiles sooner and runs slower. Local
    variables that nobody initialises hold a pattern, zeros with `zero_locals`, or with
    `soil_locals` rubbish that is another in each launch; then nothing is optimised.
    """
    dialect = max(standard, _OLDEST_STANDARD).replace("c++", "gnu++")
    flags = [
        "-x",
        "c++",
        f"-std={dialect}",
        "-O0" if soil_locals else "-O1" if fast_compile else "-O2",
        *_QUIET,
        *_RUNTIME,
        *_RED_ZONE,
    ]
    if contract_floats:
        flags += ["-ffp-contract=fast", "-mfma"]
    else:
        flags += ["-ffp-contract=off"]

    # never what the stack happens to hold: the same in each order of threads
    if soil_locals:
        flags.append("-DKERNELSET_SOIL=1")
    else:
        flags.append(f"-ftrivial-auto-var-init={'zero' if zero_locals else 'pattern'}")
    flags.append(f"-DKERNELSET_WARP={lanes}")
    flags += macros
    if trace:
        flags += _TRACE
    if count_branches:
        flags += _COVERAGE
    if sanitise:
        flags += _SANITISE

    for tree in _TREES:
        flags += ["-isystem", str(ROOT / tree)]

    return tuple(flags)
