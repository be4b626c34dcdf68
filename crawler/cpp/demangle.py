"""Demangle symbols, and spell out function template arguments that clang prints as `&name`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache

from crawler.cpp.template_argument_text import find_printed_arguments


def spell_function_arguments(
    printed_arguments: tuple[str, ...], demangled_arguments: Sequence[str]
) -> tuple[str, ...]:
    """Spell the functions among arguments with their own; `demangled_arguments` are the same
    arguments as a demangler writes them.
    """
    if len(demangled_arguments) != len(printed_arguments):
        return printed_arguments
    return tuple(
        _function(full) if one.startswith("&") else one
        for one, full in zip(printed_arguments, demangled_arguments, strict=True)
    )


def _function(argument: str) -> str:
    """Return `&copy<float>` of `&(void copy<float>(float*))`."""
    if not (argument.startswith("&(") and argument.endswith(")")):
        return argument
    head = _before_parameters(argument[2:-1])
    name = head.partition("<")[0]
    own = find_printed_arguments(head, name) if head.endswith(">") else None
    return f"&{head}" if own is None else f"&{name}<{', '.join(map(_function, own))}>"


def _before_parameters(function: str) -> str:
    """Return a function's qualified name and template arguments, without its type."""
    depth, begin = 0, 0
    for at, character in enumerate(function):
        if character == "(" and depth == 0 and at > 0:
            return function[begin:at]
        depth += (character in "<([{") - (character in ">)]}")
        if character == " " and depth == 0:
            begin = at + 1
    return function[begin:]


def demangle_symbol(symbol: str) -> str:
    """Return what a mangled name stands for; empty where no demangler can tell."""
    demangle = _demangler()
    return (
        demangle(symbol.encode()).decode().replace("(anonymous namespace)::", "")
        if demangle
        else ""
    )


@cache
def _demangler() -> Callable[[bytes], bytes] | None:
    """Return the demangler of the C++ runtime, where there is one."""
    try:
        runtime = ctypes.CDLL("libstdc++.so.6")
        demangle, free = runtime.__cxa_demangle, runtime.free
    except (OSError, AttributeError):
        return None
    demangle.restype, free.argtypes = ctypes.c_void_p, (ctypes.c_void_p,)
    demangle.argtypes = (
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
    )

    def asked(mangled: bytes) -> bytes:
        made = demangle(mangled, None, None, None)
        text = ctypes.string_at(made) if made else b""
        free(made)
        return text

    return asked
