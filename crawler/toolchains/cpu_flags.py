"""Clang flags for compiling a kernel unit as host C++ for CPU execution."""

from __future__ import annotations

import platform
from typing import Final

from crawler.headers import ROOT

_TREES: Final = ("cpu", "hip_parse", "cuda", "torch", "common")
_OLDEST: Final = "c++17"
_ALWAYS: Final = (
    "-w",
    # what stands here for a device's builtins is no constant where that is one
    "-Wno-invalid-constexpr",
    "-ferror-limit=50",
    "-fno-caret-diagnostics",
    "-fno-color-diagnostics",
    "-fno-crash-diagnostics",
)
# shared variables have no constructors, and one thread runs at a time
_RUNTIME: Final = (
    "-fno-threadsafe-statics",
    "-fno-strict-aliasing",
    "-fstack-clash-protection",
)
# a thread that leaves its stack need not step over what a leaf may keep below its end
_RED_ZONE: Final = (
    ("-mno-red-zone", "-DKERNELSET_NO_RED_ZONE=1")
    if platform.machine() == "x86_64"
    else ()
)
# the instrumentation alone: its runtime is not linked, since our header defines what it calls
_TRACE: Final = (
    *("-Xclang", "-fsanitize=thread", "-DKERNELSET_TRACE=1"),
    *(
        "-mllvm",
        "-tsan-instrument-read-before-write=1",
        "-mllvm",
        "-tsan-instrument-func-entry-exit=0",
    ),
    *(
        "-fno-vectorize",
        "-fno-slp-vectorize",
    ),  # so that each access has the size that the source gives it
)

# clang's counters and the regions that they count, told on standard output; their runtime is
# not linked either
_COVER: Final = (
    *(
        "-Xclang",
        "-fprofile-instrument=clang",
        "-Xclang",
        "-fcoverage-mapping",
        "-Xclang",
        "-dump-coverage-mapping",
    ),
    *(
        f"-fprofile-list={ROOT / 'cpu' / 'kernelset' / 'cpu' / 'covered.list'}",
        "-DKERNELSET_COUNT=1",
    ),
)
_CHECKS: Final = (
    *(
        "signed-integer-overflow",
        "integer-divide-by-zero",
        "shift-base",
        "shift-exponent",
        "array-bounds",
    ),
    *("float-cast-overflow", "alignment"),
)
_SANITISE: Final = (
    *(
        "-Xclang",
        f"-fsanitize={','.join(_CHECKS)}",
        "-Xclang",
        f"-fsanitize-recover={','.join(_CHECKS)}",
    ),
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
) -> tuple[str, ...]:
    """Return the flags that make a program of a unit whose warps have `lanes` lanes; `macros`
    name its device.

    With `trace` the program says what each pointer reads and writes; with `contract_floats` a
    multiplication and an addition
    may round once, as they do on a GPU. With `count_branches` it counts how often each branch
    is taken; with `sanitise` it finds
    what C++ gives no meaning to; with `fast_compile` it is compiled sooner and runs slower.
    """
    includes = (word for tree in _TREES for word in ("-isystem", str(ROOT / tree)))
    return (
        *(
            "-x",
            "c++",
            f"-std={max(standard, _OLDEST).replace('c++', 'gnu++')}",
            "-O1" if fast_compile else "-O2",
            *_ALWAYS,
            *_RUNTIME,
            *_RED_ZONE,
        ),
        *(
            ("-ffp-contract=fast", "-mfma")
            if contract_floats
            else ("-ffp-contract=off",)
        ),
        f"-DKERNELSET_WARP={lanes}",
        *macros,
        *(_TRACE if trace else ()),
        *(_COVER if count_branches else ()),
        *(_SANITISE if sanitise else ()),
        *includes,
    )
