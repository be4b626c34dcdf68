"""Scan one source file by regular expressions: includes, tested macros, kernels, launches,
runtime names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from crawler.cpp.comments import without_comments, without_comments_and_literals
from crawler.cpp.string_literals import (
    StringLiteral,
    find_cpp_literals,
    find_python_literals,
)

HEADER_SUFFIXES: Final = frozenset(
    {
        "h",
        "hh",
        "hpp",
        "hxx",
        "h++",
        "cuh",
        "inl",
        "inc",
        "ipp",
        "tpp",
        "tcc",
        "impl",
        "cuinl",
    }
)
DEVICE_SOURCE_SUFFIXES: Final = frozenset({"cu", "hip"})
DEVICE_SUFFIXES: Final = DEVICE_SOURCE_SUFFIXES | {"cuh"}
HOST_SOURCE_SUFFIXES: Final = frozenset({"cpp", "cc", "cxx", "c", "c++"})
SOURCE_SUFFIXES: Final = HEADER_SUFFIXES | DEVICE_SOURCE_SUFFIXES | HOST_SOURCE_SUFFIXES
SCRIPT_SUFFIXES: Final = frozenset({"py", "pyx", "pxi", "pxd"})
"""Sources of Python and Cython, whose strings may hold device code."""

_SAID: Final = re.compile(
    r'#[ \t]*(?:(?:include|import)(?:_next)?[ \t]*(?:"([^"\n]{1,400})"|<([^>\n]{1,400})>)'
    r"|(?:el)?if((?:\\\r?\n|[^\n])*))"
)
_CUDA: Final = re.compile(
    r"cu(?:da[A-Z]|blas[A-Z]|rand[A-Z_]|sparse[A-Z]|fft[A-Z]|solver[A-Z]|dnn[A-Z]|b::)"
)
_HIP: Final = re.compile(
    r"hip(?:[A-Z]|blas[A-Z]|rand[A-Z_]|sparse[A-Z]|fft[A-Z]|cub::)|__builtin_amdgcn_|__gfx\d"
)
_OF_AMD: Final = "__builtin_amdgcn_"
_BRANCH: Final = re.compile(r"[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|else|endif)\b")
_HIP_CONDITION: Final = re.compile(r"HIP|ROCM|__AMD")
_CUDA_CONDITION: Final = re.compile(r"CUDA|NVCC")
_NEGATION: Final = re.compile(r"ifndef|!")
_INDENTED_MOST: Final = 200

_DIRECTIVE: Final = re.compile(r"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
_ALIAS: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\\\r?\n|[^\n]){0,400}?\b__global__\b",
    re.MULTILINE,
)
_DEFINITION: Final = re.compile(r"\b__global__\b[^;]{0,4000}\(")
_MACRO: Final = re.compile(r"\b[A-Za-z_]\w{2,}\b")
_LAUNCH: Final = re.compile(
    r"(?<!operator)(?<!<)<<[ \t]*<(?!<)"
    r"|\b(?:hipLaunchKernelGGL|hipLaunchKernel|hipExtLaunchKernelGGL|hipLaunchCooperativeKernel"
    r"|cudaLaunchKernel|cudaLaunchKernelEx|cudaLaunchKernelExC|cudaLaunchCooperativeKernel)\b"
)
_LAUNCH_HINTS: Final = ("<<<", "<< <", "LaunchKernel", "LaunchCooperativeKernel")


@dataclass(frozen=True, slots=True)
class Include:
    """An `#include` line."""

    name: str
    is_quoted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceScan:
    """What was seen in one file; `cuda` and `hip` count names of each runtime."""

    includes: tuple[Include, ...]
    tested_macros: frozenset[str]
    """Macros that stand in an `#if` or `#ifdef`."""
    has_kernels: bool
    has_launches: bool
    cuda_name_count: int
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
    """Skim a file of any bytes."""
    text = content.decode("utf-8", "replace")
    bare = without_comments(text)
    includes, tested = _directives(bare)
    marked = "__global__" in bare
    hinted = any(hint in bare for hint in _LAUNCH_HINTS)
    code = without_comments_and_literals(text) if marked or hinted else ""
    cuda, hip = count_runtime_names(bare)
    return SourceScan(
        includes=includes,
        tested_macros=tested,
        has_kernels=marked and "__global__" in _DIRECTIVE.sub("", code),
        has_launches=hinted and bool(_LAUNCH.search(code)),
        cuda_name_count=cuda,
        hip_name_count=hip,
        has_kernel_strings=bare.count("__global__") > code.count("__global__")
        and _quotes(find_cpp_literals(text, "__global__")),
        global_aliases=tuple(dict.fromkeys(_ALIAS.findall(code))) if marked else (),
    )


def has_kernel_string(content: bytes) -> bool:
    """Tell whether a string literal of a Python or Cython source seems to hold a kernel."""
    return b"__global__" in content and _quotes(
        find_python_literals(content.decode("latin-1"), "__global__")
    )


def _quotes(literals: Iterable[StringLiteral]) -> bool:
    return any(_DEFINITION.search(literal.text) for literal in literals)


def mentions_any(content: bytes, names: re.Pattern[str]) -> bool:
    """Tell whether one of `names` stands in the code, outside directives, comments and strings."""
    text = content.decode("utf-8", "replace")
    return bool(
        names.search(text)
        and names.search(_DIRECTIVE.sub("", without_comments_and_literals(text)))
    )


def _directives(text: str) -> tuple[tuple[Include, ...], frozenset[str]]:
    includes: dict[Include, None] = {}
    conditions = []
    for match in _SAID.finditer(text):
        if _begins_line(text, match.start()):
            quoted, angled, condition = match.groups()
            if condition is not None:
                conditions.append(condition)
            elif name := (quoted or angled).strip():
                includes[Include(name, bool(quoted))] = None
    return tuple(includes), frozenset(_MACRO.findall(" ".join(conditions))) - {
        "def",
        "ndef",
        "defined",
    }


def count_runtime_names(text: str) -> tuple[int, int]:
    """Count the names of CUDA and of HIP; what stands under HIP's conditions counts only where
    nothing else does.

    No compiler for CUDA knows AMD's builtins: where they stand under no condition of HIP's,
    nothing else counts, since
    sources that a build translates speak CUDA to the host.
    """
    names = (
        len(_CUDA.findall(text)) + text.count("<cuda"),
        len(_HIP.findall(text)) + text.count("<hip/"),
    )
    if not all(names):
        return names
    common = "\n".join(_common(text))
    if _OF_AMD in common:
        return 0, names[1]
    shared = (
        len(_CUDA.findall(common)) + common.count("<cuda"),
        len(_HIP.findall(common)) + common.count("<hip/"),
    )
    return shared if any(shared) else names


def _common(text: str) -> Iterator[str]:
    """Yield the lines that are not under a condition on HIP alone."""
    branches: list[int] = []
    for line in text.split("\n"):
        found = _BRANCH.match(line)
        if found is None:
            if 1 not in branches:
                yield line
        elif found["word"].startswith("if"):
            branches.append(_about_hip(line))
        elif branches:
            branch = branches.pop()
            if found["word"] != "endif":
                branches.append(
                    -branch if found["word"] == "else" else _about_hip(line)
                )


def _about_hip(condition: str) -> int:
    """Return 1 for a condition that HIP alone fulfils, -1 for its contrary, 0 for any other."""
    if not _HIP_CONDITION.search(condition) or _CUDA_CONDITION.search(condition):
        return 0
    return -1 if _NEGATION.search(condition) else 1


def _begins_line(text: str, position: int) -> bool:
    before = text[max(0, position - _INDENTED_MOST) : position].rpartition("\n")
    return not before[2].strip() and (bool(before[1]) or position < _INDENTED_MOST)
