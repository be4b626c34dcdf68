"""What a translation unit shows of one kernel: its head, what it is instantiated with, and its closure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from clang.cindex import CursorKind

from crawler.extract.closure import closure
from crawler.extract.declarations import Declaration
from crawler.extract.labels import label
from crawler.extract.launches import launch_of
from crawler.extract.signature import attributes, parameter, template_head, template_parameter, template_parameters
from crawler.extract.source import SourceText
from crawler.extract.spelling import symbol
from crawler.extract.surroundings import Surroundings
from crawler.extract.uses import Use
from crawler.extract.written import Written
from crawler.model import CompileCommand, Dialect, Instantiation, InstantiationOrigin, KernelSighting, Layer

Key = tuple[str, int, str]
"""Path, offset and name of a kernel."""


def instantiated_with(found: Collection[Use], written: Written) -> dict[Key, tuple[Instantiation, ...]]:
    """Return what each kernel, by path, offset and name, is instantiated with."""
    same: dict[tuple[Key, tuple[str, ...]], list[Use]] = defaultdict(list)
    for use in found:
        if use.arguments:
            same[((*use.target, use.kernel), use.arguments)].append(use)
    listed: dict[Key, list[Instantiation]] = defaultdict(list)
    for (place, arguments), uses_of in same.items():
        one = Instantiation(
            arguments=arguments,
            label=label(arguments),
            symbol=uses_of[0].symbol,
            origin=_origin(uses_of, written),
        )
        listed[place].append(one)
    return {place: tuple(known) for place, known in listed.items()}


def _origin(same: Collection[Use], written: Written) -> InstantiationOrigin:
    """Return why a specialisation is there: all its uses, one of which has no place but the specialisation's own."""
    if any(launch_of(use, written) is not None for use in same):
        return InstantiationOrigin.LAUNCH
    name = next(use.kernel for use in same)
    if not any(use.path for use in same) and any(name in written.explicit(path) for path in written.files):
        return InstantiationOrigin.EXPLICIT
    return InstantiationOrigin.DISPATCH


def sighting(
    declaration: Declaration, around: Surroundings, command: CompileCommand, instantiations: tuple[Instantiation, ...]
) -> KernelSighting:
    """Return what a unit's AST shows of a kernel."""
    cursor, source = declaration.cursor, around.sources[declaration.path]
    text = source.text(declaration.start, declaration.end)
    head = text[: text.find("{")] if "{" in text else text
    owner = declaration.owner.cursor if declaration.owner else None
    owner_head = _owner_head(declaration, source)
    children = list(cursor.get_children())
    linkage = ('extern "C"',) if any(wrapper.startswith("extern") for wrapper in declaration.wrappers) else ()
    return KernelSighting(
        span=source.span(declaration.start, declaration.end),
        name=cursor.spelling,
        qualified_name="::".join((*declaration.namespaces, cursor.spelling)),
        dialect=command.dialect or Dialect.CUDA,
        found_by=Layer.AST,
        mangled="" if cursor.kind is CursorKind.FUNCTION_TEMPLATE else symbol(cursor),
        source=text,
        template_head=" ".join(filter(None, (owner_head, template_head(head)))),
        parameters=tuple(parameter(child) for child in children if child.kind is CursorKind.PARM_DECL),
        template_parameters=tuple(
            template_parameter(child, source) for each in (owner, cursor) if each for child in template_parameters(each)
        ),
        attributes=tuple(dict.fromkeys((*linkage, *attributes(head)))),
        instantiations=instantiations,
        closure=closure(declaration, {part for one in instantiations for part in one.arguments}, around),
    )


def _owner_head(declaration: Declaration, source: SourceText) -> str:
    """Return the template head of the class that a kernel is a member of."""
    if declaration.owner is None or declaration.owner.cursor.kind is not CursorKind.CLASS_TEMPLATE:
        return ""
    return template_head(source.text(declaration.owner.start, declaration.start))
