"""Define in a unit the device variables that another file of the project defines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from clang.cindex import CursorKind, StorageClass, TypeKind

from crawler.extract.clang.declarations import Declaration

# the text of a declaration that libclang has found to be such a variable: the word is only taken
# out of it
_EXTERN: Final = re.compile(r"\bextern\b[ \t]*(?!\")")
_DEVICE_MEMORY: Final = re.compile(r"__(?:device|constant|managed)__")


def define_extern_variable(
    text: str, declaration: Declaration, declarations: Iterable[Declaration]
) -> str:
    """Return the text of a declaration, without `extern` where none of `declarations` defines it.

    E.g. `extern __constant__ Params params;` of a header, which another source defines: a unit
    stands alone, so its device code has no other memory for it.
    """
    if not _is_extern_variable(declaration, text):
        return text

    same = [
        other
        for other in declarations
        if other.kind == "variable"
        and other.names == declaration.names
        and other.namespaces == declaration.namespaces
    ]
    is_defined = any(
        other.cursor.storage_class is not StorageClass.EXTERN for other in same
    )
    # several headers may declare it
    if is_defined or same[0] is not declaration:
        return text

    return _EXTERN.sub("", text, count=1)


def define_extern_variables(text: str, declarations: Sequence[Declaration]) -> str:
    """Return a text, of which declarations are ranges, with each extern variable defined that
    none of them defines; all stays where it is.
    """
    for declaration in declarations:
        start, end = declaration.start, declaration.end
        declared = text[start:end]
        defined = define_extern_variable(declared, declaration, declarations)
        padded = defined.rjust(end - start)
        text = text[:start] + padded + text[end:]

    return text


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
