"""What a declaration of a translation unit names."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.cpp.files.identifier_uses import Identifier
from crawler.cpp.preprocessor.macros import Macro
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.name_lookup import NamespacePath


@dataclass(frozen=True, slots=True)
class DeclarationReferences:
    """What one declaration names."""

    declarations: dict[int, Declaration]
    """By their identity: a name of a template library may mean hundreds."""
    scopes: frozenset[NamespacePath]
    """That these stand in."""
    macros: tuple[Macro, ...]
    adl_calls: tuple[Identifier, ...]
    """Calls that may find a function by the types of their arguments."""
    words: frozenset[str]
    """All names in it, without those of its macros."""
