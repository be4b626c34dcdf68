"""The dependency closure of a kernel: the project's declarations and macros that its text names, transitively."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final

from crawler.extract.declarations import Declaration
from crawler.extract.gathered import gathered
from crawler.extract.macros import Macro
from crawler.extract.mentions import Mention, mentions_in
from crawler.extract.operators import Operands
from crawler.extract.specialisations import Specialisations
from crawler.extract.surroundings import Needs, Surroundings, fits
from crawler.model import Closure

_MOST_FRAGMENTS: Final = 8_000
"""Declarations that one unit may take along: templates of a library that its project carries are some thousands."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The declarations and macros that a kernel leads to."""

    taken: Collection[Declaration]
    used: Collection[Macro]
    given: Needs
    """What the arguments of its templates name."""


def closure(kernel: Declaration, arguments: Iterable[str], around: Surroundings) -> Closure:
    """Return what `kernel` needs to compile alone; `arguments` are those of its templates, as spelled."""
    return closed(kernel, reach(kernel, arguments, around), around)


def closed(kernel: Declaration, found: Reach, around: Surroundings) -> Closure:
    """Return as ordered pieces of text what a kernel leads to."""
    gathered_ = gathered(kernel, found.taken, found.used, found.given.words, around)
    if len(found.taken) < _MOST_FRAGMENTS:
        return gathered_
    problem = f"closure-too-large: it needs more than {_MOST_FRAGMENTS} declarations of its project"
    return replace(gathered_, fragments=(), complete=False, problems=(problem,))


def reach(kernel: Declaration, arguments: Iterable[str], around: Surroundings) -> Reach:
    """Return what `kernel` leads to; `arguments` are those of its templates, as spelled."""
    taken: dict[int, Declaration] = {}
    used: dict[tuple[str, int], Macro] = {}
    calls: dict[Mention, Declaration] = {}
    operands = Operands(around.operators, around.sources)
    given = around.named({mention for one in arguments for mention in mentions_in(one)}, kernel)
    special = Specialisations(around.scopes, around.sources, kernel.owner)
    fresh = [*_primaries(kernel, around), *filter(None, (kernel.owner, kernel)), *given.declarations.values()]
    while fresh and len(taken) < _MOST_FRAGMENTS:
        named = {id(one): one for one in fresh if id(one) not in taken and not _renames(one, kernel)}
        fresh = special.meant(named.values(), taken)
        taken.update((id(one), one) for one in fresh)
        needs = [around.needs(one) for one in fresh]
        used.update(((macro.path, macro.name_offset), macro) for one in needs for macro in one.macros)
        calls.update((mention, by) for one, by in zip(needs, fresh, strict=True) for mention in one.calls)
        reached: dict[int, Declaration] = {}
        for each in needs:
            reached.update(each.declarations)
        fresh = [*operands.reached(fresh), *reached.values()]
        if all(id(one) in taken for one in fresh):
            fresh += (*_by_argument(calls, taken.values(), around), *special.meant((), taken))
            fresh = [one for one in fresh if id(one) not in taken]
    used.update(((macro.path, macro.name_offset), macro) for macro in given.macros)
    return Reach(taken.values(), used.values(), given)


def _by_argument(
    calls: dict[Mention, Declaration], taken: Collection[Declaration], around: Surroundings
) -> list[Declaration]:
    """Return the functions that calls may find beside the types which are there by now."""
    known = {around.scopes.scope(one) for one in taken if one.kind in ("type", "alias")}
    return [one for mention, by in calls.items() for one in around.meant(mention, by, known) if fits(one)]


def _primaries(kernel: Declaration, around: Surroundings) -> list[Declaration]:
    """Return the template that a specialisation specialises."""
    if kernel.cursor.get_num_template_arguments() <= 0:
        return []
    same = [one for one in around.declarations if one.kind == "kernel" and kernel.cursor.spelling in one.names]
    return [one for one in same if one.cursor.kind.name == "FUNCTION_TEMPLATE"]


def _renames(declaration: Declaration, kernel: Declaration) -> bool:
    """Tell whether a using-declaration names the kernel, which the unit has not yet declared there."""
    return declaration.kind == "using" and kernel.cursor.spelling in declaration.names
