"""Define in a unit the device variables that another file of the project defines."""

from __future__ import annotations

import re
from typing import Final

from clang.cindex import CursorKind, StorageClass, TypeKind

from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.context.unit_context import UnitContext

_EXTERN: Final = re.compile(r"\bextern\b[ \t]*(?!\")")
_DEVICE_MEMORY: Final = re.compile(r"__(?:device|constant|managed)__")


def define_extern_variable(
    text: str, declaration: Declaration, context: UnitContext
) -> str:
    """Return the text of a declaration, without `extern` where nothing in the unit defines it.

    E.g. `extern __constant__ Params params;` of a header, which another source defines: a unit
    stands alone, so its device code has no other memory for it.
    """
    if not _is_extern_variable(declaration, text):
        return text

    declarations = [
        other
        for other in context.declarations
        if other.kind == "variable"
        and other.names == declaration.names
        and other.namespaces == declaration.namespaces
    ]
    is_defined = any(
        other.cursor.storage_class is not StorageClass.EXTERN for other in declarations
    )
    # several headers may declare it
    if is_defined or declarations[0] is not declaration:
        return text

    return _EXTERN.sub("", text, count=1)


def _is_extern_variable(declaration: Declaration, text: str) -> bool:
    if declaration.cursor.kind is not CursorKind.VAR_DECL:
        return False
    if declaration.cursor.storage_class is not StorageClass.EXTERN:
        return False
    # of an array without a bound it is not known how much memory it takes
    if declaration.cursor.type.kind is TypeKind.INCOMPLETEARRAY:
        return False

    # a macro may stand for the attribute, as it may for `extern`
    return bool(_DEVICE_MEMORY.search(text) and _EXTERN.search(text))
