"""What one source file says to someone who only skims it: includes, conditions, device code, launches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

HEADERS: Final = frozenset({"h", "hh", "hpp", "hxx", "h++", "cuh", "inl", "inc", "ipp", "tpp", "tcc", "impl", "cuinl"})
DEVICE_SOURCES: Final = frozenset({"cu", "hip"})
DEVICE_SUFFIXES: Final = DEVICE_SOURCES | {"cuh"}
HOST_SOURCES: Final = frozenset({"cpp", "cc", "cxx", "c", "c++"})
SOURCES: Final = HEADERS | DEVICE_SOURCES | HOST_SOURCES

# Every alternative is linear: what is never closed runs to the end of its line or of the text.
_NOISE: Final = re.compile(
    r"""//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z)|\bR"([^()\\\s"]{0,16})\(.*?(?:\)\1"|\Z)"""
    r"""|"(?:[^"\\\n]|\\.)*"?|(?<!\w)'(?:[^'\\\n]|\\.)*'?""",
    re.DOTALL,
)
_INCLUDE: Final = re.compile(
    r'^[ \t]*#[ \t]*(?:include|import)(?:_next)?[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE
)
_CONDITION: Final = re.compile(r"^[ \t]*#[ \t]*(?:el)?if((?:\\\r?\n|[^\n])*)", re.MULTILINE)
_DIRECTIVE: Final = re.compile(r"^[ \t]*#(?:\\\r?\n|[^\n])*", re.MULTILINE)
_ALIAS: Final = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\\\r?\n|[^\n]){0,400}?\b__global__\b", re.MULTILINE)
_MACRO: Final = re.compile(r"\b[A-Za-z_]\w{2,}\b")
_LAUNCH: Final = re.compile(
    r"(?<!<)<<<(?!<)|\b(?:hipLaunchKernelGGL|hipLaunchKernel|hipExtLaunchKernelGGL|hipLaunchCooperativeKernel"
    r"|cudaLaunchKernel|cudaLaunchKernelEx|cudaLaunchKernelExC|cudaLaunchCooperativeKernel)\b"
)
_LAUNCH_HINTS: Final = (b"<<<", b"LaunchKernel", b"LaunchCooperativeKernel")
_CUDA: Final = re.compile(r"\b(?:cuda[A-Z_]\w*|cu(?:blas|rand|sparse|fft|solver|dnn)[A-Z_]\w*|nv_bfloat16)\b|<cuda")
_HIP: Final = re.compile(r"\b(?:hip[A-Z_]\w*|(?:hip|roc)(?:blas|rand|sparse|fft|solver|prim|cub)\w*)\b|<hip/")


@dataclass(frozen=True, slots=True)
class Include:
    """An `#include` line."""

    name: str
    quoted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Skim:
    """What was seen in one file; `cuda` and `hip` count names of each runtime."""

    includes: tuple[Include, ...]
    tested: frozenset[str]
    """Macros that stand in an `#if` or `#ifdef`."""
    kernels: bool
    launches: bool
    cuda: int
    hip: int
    aliases: tuple[str, ...]
    """Macros defined here whose expansion has `__global__`."""


def suffix(path: str) -> str:
    """Return the lower-case extension of a path, without its dot."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def skim(content: bytes) -> Skim:
    """Skim a file of any bytes."""
    text = content.decode("utf-8", "replace")
    bare = _without_comments(text)
    marked = b"__global__" in content
    hinted = any(hint in content for hint in _LAUNCH_HINTS)
    code = _without_strings(bare) if marked or hinted else ""
    return Skim(
        includes=_includes(bare),
        tested=_tested(bare),
        kernels=marked and "__global__" in _DIRECTIVE.sub("", code),
        launches=hinted and bool(_LAUNCH.search(code)),
        cuda=len(_CUDA.findall(bare)) if "cu" in bare else 0,
        hip=len(_HIP.findall(bare)) if "hip" in bare else 0,
        aliases=tuple(dict.fromkeys(_ALIAS.findall(code))) if marked else (),
    )


def uses(content: bytes, names: re.Pattern[str]) -> bool:
    """Tell whether one of `names` stands in the code, outside directives, comments and strings."""
    text = content.decode("utf-8", "replace")
    if not names.search(text):
        return False
    return bool(names.search(_DIRECTIVE.sub("", _without_strings(_without_comments(text)))))


def _includes(text: str) -> tuple[Include, ...]:
    if "#" not in text:
        return ()
    found = (Include((quoted or angled).strip(), bool(quoted)) for quoted, angled in _INCLUDE.findall(text))
    return tuple(dict.fromkeys(include for include in found if include.name))


def _tested(text: str) -> frozenset[str]:
    conditions = " ".join(_CONDITION.findall(text))
    return frozenset(_MACRO.findall(conditions)) - {"def", "ndef", "defined", "__has_include"}


def _without_comments(text: str) -> str:
    return _NOISE.sub(_keep_strings, text) if "/*" in text or "//" in text else text


def _without_strings(text: str) -> str:
    return _NOISE.sub(" ", text)


def _keep_strings(match: re.Match[str]) -> str:
    found = match.group()
    return " " if found.startswith(("//", "/*")) else found
