"""Replace a unit's prelude in a harness: the toolkit's own headers for a GPU, ours for a CPU."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from crawler import headers
from crawler.model import Dialect

_TREES: Final = ("hip", "torch", "common")
_INCLUDE: Final = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*<(?P<name>kernelset/[\w./]+)>[^\n]*\n?", re.MULTILINE
)
_ONCE: Final = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once[^\n]*\n", re.MULTILINE)
_PRELUDE: Final = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*<(?P<name>kernelset/[\w./]+)>[^\n]*$", re.MULTILINE
)
_TOOLKIT: Final = """#include <cuda_runtime.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <math_constants.h>

#include <cassert>
#include <cfloat>
#include <climits>
"""
DYNAMIC_SHARED_MACROS: Final = """
#if defined(KERNELSET_CPU)
#define OPEN_SHARED
#define OPEN_NAME(name) (&name)
#define OPEN_END = kernelset::Dynamic()
#else
#define OPEN_SHARED extern __shared__
#define OPEN_NAME(name) name
#define OPEN_END
#endif
"""
"""What dynamic shared memory is declared with, for a device or for a CPU."""
# as PyTorch has its extensions built: its own types would be ambiguous beside these operators
_AS_TORCH: Final = "".join(
    f"#define __CUDA_NO_{word}__ 1\n"
    for word in (
        "HALF_OPERATORS",
        "HALF_CONVERSIONS",
        "HALF2_OPERATORS",
        "BFLOAT16_CONVERSIONS",
    )
)
_NATIVE: Final = "#define KS_NATIVE_HALF 1\n#define KS_NATIVE_BFLOAT16 1\n"


def split_prelude(source: str) -> tuple[str, str]:
    """Return the header of ours that a unit begins with, empty where it has none, and the unit
    without it.
    """
    found = _PRELUDE.search(source)
    return (
        (found["name"], source[: found.start()] + source[found.end() :])
        if found
        else ("", source)
    )


def render_prelude(header: str, dialect: Dialect) -> str:
    """Return the text that stands for the header `header` in a test of a unit in `dialect`."""
    ours = (
        f"#include <{header}>  // on a CPU: see how to build this, above\n"
        if header
        else ""
    )
    if dialect is Dialect.HIP:
        return f"#if defined(__HIPCC__) || defined(__HIP__)\n{_written_out(header)}#else\n{ours}#endif\n"
    is_torch = "torch" in header
    before = _AS_TORCH if is_torch else ""
    torch = f"{_NATIVE}{_written_out('kernelset/torch_types.h')}" if is_torch else ""
    return (
        '#if defined(__HIPCC__) || defined(__HIP__)\n#error "this is CUDA: build it with nvcc, or build its HIP twin"\n'
        f"#elif defined(__CUDACC__)\n{before}{_TOOLKIT}{torch}#else\n{ours}#endif\n"
    )


def render_extension_prelude(header: str, dialect: Dialect) -> str:
    """Return the same for an extension of PyTorch, which has PyTorch's own types."""
    if dialect is Dialect.HIP:
        return _written_out("kernelset/hip.h") if header else ""
    return _TOOLKIT


@cache
def _written_out(name: str) -> str:
    """Return a header of ours with those that it includes in their places, each once."""
    return _expanded(name, set())


def _expanded(name: str, done: set[str]) -> str:
    found = next(
        (
            headers.ROOT / tree / name
            for tree in _TREES
            if (headers.ROOT / tree / name).is_file()
        ),
        None,
    )
    if found is None or name in done:
        return ""
    done.add(name)
    text = _ONCE.sub("", found.read_text("utf-8"))
    return (
        _INCLUDE.sub(lambda include: _expanded(include["name"], done), text).rstrip(
            "\n"
        )
        + "\n"
    )
