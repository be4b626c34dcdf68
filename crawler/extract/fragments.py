"""The text of declarations as a unit holds them: in their namespaces, without what is for the host alone."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crawler.extract.alignment import alignas_first
from crawler.extract.declarations import Declaration
from crawler.extract.registers import escaped
from crawler.extract.scopes import DIRECTIVE
from crawler.extract.shadows import without_shadows
from crawler.extract.typenames import named_as_types

if TYPE_CHECKING:
    from crawler.extract.surroundings import Surroundings

_OPENED: Final = re.compile(r"^[ \t]*#[ \t]*if", re.MULTILINE)
_CLOSED: Final = re.compile(r"^[ \t]*#[ \t]*endif", re.MULTILINE)


def directives(chosen: list[Declaration], around: Surroundings) -> list[Declaration]:
    """Return the `using namespace` of the files that fragments come from, and those of others that they lean on."""
    files = {declaration.path for declaration in chosen}
    every = [declaration for declaration in around.declarations if is_directive(declaration)]
    own = [directive for directive in every if directive.path in files]
    reached = {(directive.namespaces, _target(directive, around)) for directive in own}
    leant_on = _leant_on(chosen, around) if len(own) < len(every) else set()
    for directive in every:
        way = (directive.namespaces, _target(directive, around))
        scopes = {scope for scope, opened in leant_on if opened == way[1]}
        if way not in reached and any(scope[: len(way[0])] == way[0] for scope in scopes):
            reached.add(way)
            own.append(directive)
    return own


def _leant_on(chosen: list[Declaration], around: Surroundings) -> set[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return (scope, other scope) where a declaration names what stands in neither its own scope nor one round it."""
    scopes = around.scopes
    pairs = {(scopes.scope(one), named) for one in chosen for named in around.needs(one).scopes}
    return {(scope, other) for scope, other in pairs if other and scope[: len(other)] != other}


def is_directive(declaration: Declaration) -> bool:
    """Tell `using namespace` from other declarations."""
    return bool(declaration.cursor.kind.name == "USING_DIRECTIVE")


def is_foreign(directive: Declaration, around: Surroundings) -> bool:
    """Tell whether a directive opens a namespace that is none of the project's."""
    named = around.sources[directive.path].words(directive.start, directive.end)
    return not any(named.intersection(space) for space in around.scopes.spaces)


def fragment(declaration: Declaration, around: Surroundings) -> str:
    """Return a declaration's text in the scopes that it stands in."""
    source = around.sources[declaration.path]
    text, start = "", declaration.start
    for cut, behind, instead in sorted((*around.cuts(declaration), *around.moved.get(id(declaration), ()))):
        text += source.text(start, cut) + instead
        start = behind
    text = (text + source.text(start, declaration.end)).replace("\r\n", "\n")
    text = _portable(text, around.types)
    if not text.endswith((";", "}")):
        text += ";"
    text += "\n#endif" * (len(_OPENED.findall(text)) - len(_CLOSED.findall(text)))
    opened = _opened(declaration, around) if is_directive(declaration) else ()
    return "\n".join((*opened, *declaration.wrappers, text, *("}" for _ in declaration.wrappers)))


@lru_cache(maxsize=1 << 14)
def _portable(text: str, types: frozenset[str]) -> str:
    """Return a declaration as every compiler takes it; kernels of one unit share most of theirs."""
    return without_shadows(escaped(alignas_first(named_as_types(text, types)))).strip()


def _opened(directive: Declaration, around: Surroundings) -> tuple[str, ...]:
    """Return a line that opens the namespace of the project that a directive means."""
    scope = _target(directive, around)
    return (f"namespace {'::'.join(scope)} {{}}",) if scope else ()


def _target(directive: Declaration, around: Surroundings) -> tuple[str, ...]:
    """Return the namespace of the project that a directive means: the innermost of that name, or none."""
    source = around.sources[directive.path]
    found = DIRECTIVE.search(source.raw, directive.start, directive.end)
    words = tuple(found.group(1).split("::")) if found else ()
    for length in range(len(directive.namespaces), -1, -1):
        scope = (*directive.namespaces[:length], *words)
        if words and scope in around.scopes.spaces:
            return scope
    return ()
