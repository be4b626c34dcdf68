"""Ask clang for the value of a constant, which the Python bindings leave out."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, Final

from clang import cindex
from clang.cindex import CursorKind, TypeKind

from crawler.extract.clang.cursor import Cursor

# `enum CXEvalResultKind`
_INTEGER: Final = 1
_FLOATING: Final = 2


@cache
def _load_evaluator() -> Any:
    library = ctypes.CDLL(cindex.conf.lib._name)
    library.clang_Cursor_Evaluate.argtypes = [cindex.Cursor]
    library.clang_Cursor_Evaluate.restype = ctypes.c_void_p

    result_types = {
        "getKind": ctypes.c_int,
        "isUnsignedInt": ctypes.c_uint,
        "getAsLongLong": ctypes.c_longlong,
        "getAsUnsigned": ctypes.c_ulonglong,
        "getAsDouble": ctypes.c_double,
        "dispose": None,
    }
    for name, result_type in result_types.items():
        function = getattr(library, f"clang_EvalResult_{name}")
        function.argtypes = [ctypes.c_void_p]
        function.restype = result_type

    return library


def evaluate_constant(cursor: Cursor) -> str:
    """Return the number that a variable or an enumerator stands for, as C++ writes it.

    Empty where it is no number that the compiler knows.
    """
    if cursor.kind is CursorKind.ENUM_CONSTANT_DECL:
        return str(cursor.enum_value)

    library = _load_evaluator()
    result = library.clang_Cursor_Evaluate(cursor)
    if not result:
        return ""

    try:
        number = _read_number(library, result)
    finally:
        library.clang_EvalResult_dispose(result)

    if cursor.type.get_canonical().kind is TypeKind.BOOL:
        return "false" if number.startswith("0") else "true"

    return number


def _read_number(library: Any, result: int) -> str:
    kind = library.clang_EvalResult_getKind(result)
    if kind == _INTEGER:
        if library.clang_EvalResult_isUnsignedInt(result):
            return f"{library.clang_EvalResult_getAsUnsigned(result)}u"
        return str(library.clang_EvalResult_getAsLongLong(result))

    if kind == _FLOATING:
        value = float(library.clang_EvalResult_getAsDouble(result))
        # infinities and NaN have no literal
        return repr(value) if value - value == 0 else ""

    return ""
