"""Replace a unit's prelude in a harness: the toolkit's own headers for a GPU, ours for a CPU."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.model import Dialect

_HEADER_TREES: Final = ("hip", "torch", "common")
# directives of our own headers, which a lexer would give no better
_OWN_INCLUDE: Final = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*<(?P<name>kernelset/[\w./]+)>[^\n]*\n?", re.MULTILINE
)
# our own headers, as the above
_PRAGMA_ONCE: Final = re.compile(
    r"^[ \t]*#[ \t]*pragma[ \t]+once[^\n]*\n", re.MULTILINE
)
# the line of a unit that includes its prelude
_PRELUDE_LINE: Final = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*<(?P<name>kernelset/[\w./]+)>[^\n]*$", re.MULTILINE
)
_TOOLKIT_HEADERS: Final = """#include <cuda_runtime.h>

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
_ON_CPU_REMARK: Final = "  // on a CPU: see how to build this, above"
# as PyTorch has its extensions built: its own types would be ambiguous beside these operators
_TORCH_MACROS: Final = "".join(
    f"#define __CUDA_NO_{feature}__ 1\n"
    for feature in (
        "HALF_OPERATORS",
        "HALF_CONVERSIONS",
        "HALF2_OPERATORS",
        "BFLOAT16_CONVERSIONS",
    )
)
_NATIVE_HALF_MACROS: Final = "#define KS_NATIVE_HALF 1\n#define KS_NATIVE_BFLOAT16 1\n"


def split_prelude(source: str) -> tuple[str, str]:
    """Return the header of ours that a unit begins with, empty where it has none, and the unit
    without it.
    """
    include = _PRELUDE_LINE.search(source)
    if include is None:
        return "", source

    body = source[: include.start()] + source[include.end() :]
    return include["name"], body


def render_prelude(header: str, dialect: Dialect) -> str:
    """Return the text that stands for the header `header` in a test of a unit in `dialect`."""
    own_include = f"#include <{header}>{_ON_CPU_REMARK}\n" if header else ""
    if dialect is Dialect.HIP:
        return (
            "#if defined(__HIPCC__) || defined(__HIP__)\n"
            f"{_inline_header(header)}#else\n{own_include}#endif\n"
        )

    # a person who builds the test has CUDA's own headers, and none of ours
    toolkit = _TOOLKIT_HEADERS
    if "torch" in header:
        torch_types = _inline_header("kernelset/torch_types.h")
        toolkit = f"{_TORCH_MACROS}{toolkit}{_NATIVE_HALF_MACROS}{torch_types}"

    return (
        "#if defined(__HIPCC__) || defined(__HIP__)\n"
        '#error "this is CUDA: build it with nvcc, or build its HIP twin"\n'
        f"#elif defined(__CUDACC__)\n{toolkit}#else\n{own_include}#endif\n"
    )


def render_extension_prelude(header: str, dialect: Dialect) -> str:
    """Return the same for an extension of PyTorch, which has PyTorch's own types."""
    if dialect is Dialect.CUDA:
        return _TOOLKIT_HEADERS

    return _inline_header("kernelset/hip.h") if header else ""


@cache
def _inline_header(name: str) -> str:
    """Return a header of ours with those that it includes in their places, each once."""
    return _expand_includes(name, set())


def _expand_includes(name: str, inlined: set[str]) -> str:
    path = _find_header(name)
    if path is None or name in inlined:
        return ""

    inlined.add(name)
    text = _PRAGMA_ONCE.sub("", path.read_text("utf-8"))
    expanded = _OWN_INCLUDE.sub(
        lambda include: _expand_includes(include["name"], inlined), text
    )

    return expanded.rstrip("\n") + "\n"


def _find_header(name: str) -> Path | None:
    for tree in _HEADER_TREES:
        path = headers.ROOT / tree / name
        if path.is_file():
            return path

    return None
