"""Which declarations may stand in the closure of a kernel."""

from __future__ import annotations

from clang.cindex import CursorKind

from crawler.extract.clang.declarations import Declaration


def can_be_in_closure(declaration: Declaration) -> bool:
    """Tell whether a kernel's closure may hold a declaration."""
    if declaration.kind in ("kernel", "assertion"):
        return False
    if declaration.kind == "using":
        return not is_using_directive(declaration)

    return declaration.is_usable_on_device


def is_using_directive(declaration: Declaration) -> bool:
    """Tell `using namespace` from other declarations."""
    return declaration.cursor_kind is CursorKind.USING_DIRECTIVE


def is_namespace_alias(declaration: Declaration) -> bool:
    """Tell whether a declaration is another name of a namespace, which a variable may have too."""
    return declaration.cursor_kind is CursorKind.NAMESPACE_ALIAS
