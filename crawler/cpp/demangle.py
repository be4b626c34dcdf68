"""Demangle symbols, and spell out function template arguments that clang prints as `&name`."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache

from crawler.cpp.template_argument_text import find_printed_arguments


def spell_function_arguments(
    printed_arguments: tuple[str, ...], demangled_arguments: Sequence[str]
) -> tuple[str, ...]:
    """Spell the functions among template arguments with their own template arguments.

    `demangled_arguments` are the same arguments as a demangler writes them: clang prints `&copy`
    for what is `&copy<float>`.
    """
    if len(demangled_arguments) != len(printed_arguments):
        return printed_arguments

    spelled: list[str] = []
    for printed, demangled in zip(printed_arguments, demangled_arguments, strict=True):
        is_function = printed.startswith("&")
        spelled.append(_spell_function(demangled) if is_function else printed)

    return tuple(spelled)


def _spell_function(argument: str) -> str:
    """Return `&copy<float>` of `&(void copy<float>(float*))`."""
    if not (argument.startswith("&(") and argument.endswith(")")):
        return argument

    # without the return type in front and the parameters behind
    head = _cut_parameters(argument[2:-1])
    name = head.partition("<")[0]
    own_arguments = find_printed_arguments(head, name) if head.endswith(">") else None
    if own_arguments is None:
        return f"&{head}"

    # a function may itself have functions among its arguments
    spelled = ", ".join(_spell_function(own) for own in own_arguments)

    return f"&{name}<{spelled}>"


def _cut_parameters(function: str) -> str:
    """Return a function's qualified name and template arguments, without its type."""
    depth = 0
    name_start = 0

    for position, character in enumerate(function):
        if character == "(" and depth == 0 and position > 0:
            return function[name_start:position]

        depth += (character in "<([{") - (character in ">)]}")
        if character == " " and depth == 0:
            name_start = position + 1

    return function[name_start:]


def demangle_symbol(symbol: str) -> str:
    """Return what a mangled name stands for; empty where no demangler can tell."""
    demangle = _load_demangler()
    if demangle is None:
        return ""

    demangled = demangle(symbol.encode()).decode()
    return demangled.replace("(anonymous namespace)::", "")


@cache
def _load_demangler() -> Callable[[bytes], bytes] | None:
    """Return the demangler of the C++ runtime, where there is one."""
    try:
        runtime = ctypes.CDLL("libstdc++.so.6")
        cxa_demangle = runtime.__cxa_demangle
        free = runtime.free
    except (OSError, AttributeError):
        return None

    # a pointer, not a string: ctypes would lose the address that has to be freed
    cxa_demangle.restype = ctypes.c_void_p
    cxa_demangle.argtypes = (
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_void_p,
    )
    free.argtypes = (ctypes.c_void_p,)

    def demangle(mangled: bytes) -> bytes:
        address = cxa_demangle(mangled, None, None, None)
        text = ctypes.string_at(address) if address else b""
        free(address)

        return text

    return demangle
