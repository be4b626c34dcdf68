"""Scan one source file by regular expressions: includes, tested macros, kernels, launches,
runtime names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from crawler.checkout.runtime_names import count_runtime_names
from crawler.cpp.comments import without_comments, without_comments_and_literals
from crawler.cpp.directives import without_directives
from crawler.cpp.literals.literal_text import StringLiteral
from crawler.cpp.literals.string_literals import find_cpp_literals, find_python_literals

# fmt: off
HEADER_SUFFIXES: Final = frozenset({
    "h", "hh", "hpp", "hxx", "h++", "cuh", "inl", "inc", "ipp", "tpp", "tcc", "impl", "cuinl",
})
# fmt: on
DEVICE_SOURCE_SUFFIXES: Final = frozenset({"cu", "hip"})
DEVICE_SUFFIXES: Final = DEVICE_SOURCE_SUFFIXES | {"cuh"}
HOST_SOURCE_SUFFIXES: Final = frozenset({"cpp", "cc", "cxx", "c", "c++"})
SOURCE_SUFFIXES: Final = HEADER_SUFFIXES | DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES
SCRIPT_SUFFIXES: Final = frozenset({"py", "pyx", "pxi", "pxd"})
"""Sources of Python and Cython, whose strings may hold device code."""

# A checkout has up to hundreds of thousands of files, and all are scanned before any is parsed:
# libclang and tree-sitter take milliseconds a file, these expressions a fraction of one.
_INCLUDE_OR_CONDITION: Final = re.compile(
    r'#[ \t]*(?:(?:include|import)(?:_next)?[ \t]*(?:"([^"\n]{1,400})"|<([^>\n]{1,400})>)'
    r"|(?:el)?if((?:\\\r?\n|[^\n])*))"
)
_MAX_INDENTATION: Final = 200
# code without comments and literals: a macro that stands for `__global__`, with the line that
# names it
_GLOBAL_ALIAS: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\\\r?\n|[^\n]){0,400}?\b__global__\b",
    re.MULTILINE,
)
_KERNEL_DEFINITION: Final = re.compile(r"\b__global__\b[^;]{0,4000}\(")
_MACRO: Final = re.compile(r"\b[A-Za-z_]\w{2,}\b")
_NO_MACROS: Final = frozenset({"def", "ndef", "defined"})
"""Words of a condition that name no macro: the ends of `ifdef` and `ifndef` among them."""
# code without comments and literals, of files that have one of the hints below
_LAUNCH: Final = re.compile(
    r"(?<!operator)(?<!<)<<[ \t]*<(?!<)"
    r"|\b(?:hipLaunchKernelGGL|hipLaunchKernel|hipExtLaunchKernelGGL"
    r"|hipLaunchCooperativeKernel|cudaLaunchKernel|cudaLaunchKernelEx|cudaLaunchKernelExC"
    r"|cudaLaunchCooperativeKernel)\b"
)
_LAUNCH_HINTS: Final = ("<<<", "<< <", "LaunchKernel", "LaunchCooperativeKernel")


@dataclass(frozen=True, slots=True)
class Include:
    """An `#include` line."""

    name: str
    is_quoted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceScan:
    """What was seen in one file."""

    includes: tuple[Include, ...]
    tested_macros: frozenset[str]
    """Macros that stand in an `#if` or `#ifdef`."""
    has_kernels: bool
    has_launches: bool
    cuda_name_count: int
    """Names of CUDA's runtime and libraries, as `count_runtime_names` counts them."""
    hip_name_count: int
    has_kernel_strings: bool
    """Whether a string literal seems to hold a kernel."""
    global_aliases: tuple[str, ...]
    """Macros defined here whose expansion has `__global__`."""


def get_suffix(path: str) -> str:
    """Return the lower-case extension of a path, without its dot."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def scan_source(content: bytes) -> SourceScan:
    """Scan a file of any bytes."""
    text = content.decode("utf-8", "replace")
    uncommented = without_comments(text)
    mentions_global = "__global__" in uncommented
    may_launch = any(hint in uncommented for hint in _LAUNCH_HINTS)
    # removing literals as well takes longer, and most files are the host's own
    code = ""

    if mentions_global or may_launch:
        code = without_comments_and_literals(text)

    includes, tested_macros = _scan_directives(uncommented)
    cuda_name_count, hip_name_count = count_runtime_names(uncommented)
    has_kernel_strings = False

    if uncommented.count("__global__") > code.count("__global__"):
        has_kernel_strings = _hold_kernel(find_cpp_literals(text, "__global__"))

    global_aliases: tuple[str, ...] = ()
    if mentions_global:
        global_aliases = tuple(dict.fromkeys(_GLOBAL_ALIAS.findall(code)))

    return SourceScan(
        includes=includes,
        tested_macros=tested_macros,
        has_kernels=mentions_global and "__global__" in without_directives(code),
        has_launches=may_launch and bool(_LAUNCH.search(code)),
        cuda_name_count=cuda_name_count,
        hip_name_count=hip_name_count,
        has_kernel_strings=has_kernel_strings,
        global_aliases=global_aliases,
    )


def has_kernel_string(content: bytes) -> bool:
    """Tell whether a string literal of a Python or Cython source seems to hold a kernel."""
    if b"__global__" not in content:
        return False

    text = content.decode("latin-1")
    return _hold_kernel(find_python_literals(text, "__global__"))


def mentions_any(content: bytes, names: re.Pattern[str]) -> bool:
    """Tell whether one of `names` stands in the code, outside directives, comments and strings."""
    text = content.decode("utf-8", "replace")
    if not names.search(text):
        return False

    # a macro for `__global__` is mentioned where it is defined, too
    code = without_directives(without_comments_and_literals(text))
    return bool(names.search(code))


def _hold_kernel(literals: Iterable[StringLiteral]) -> bool:
    return any(_KERNEL_DEFINITION.search(literal.text) for literal in literals)


def _scan_directives(text: str) -> tuple[tuple[Include, ...], frozenset[str]]:
    """Return the includes of a text without comments, and the macros that its conditions test."""
    includes: dict[Include, None] = {}
    conditions: list[str] = []

    for match in _INCLUDE_OR_CONDITION.finditer(text):
        if not _begins_line(text, match.start()):
            continue

        quoted_name, angled_name, condition = match.groups()
        if condition is not None:
            conditions.append(condition)
            continue

        # some write `#include < vector >`
        name = (quoted_name or angled_name).strip()
        if name:
            includes[Include(name, is_quoted=bool(quoted_name))] = None

    words = frozenset(_MACRO.findall(" ".join(conditions)))
    return tuple(includes), words - _NO_MACROS


def _begins_line(text: str, position: int) -> bool:
    # a look at the whole text before would take quadratic time
    first = max(0, position - _MAX_INDENTATION)
    _, newline, indentation = text[first:position].rpartition("\n")
    if indentation.strip():
        return False

    return bool(newline) or position < _MAX_INDENTATION
