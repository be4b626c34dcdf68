"""Guess template arguments from the project's classes, by the members that a kernel asks of
them.

None of it is known to fit: whoever takes a guess has it compiled.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import islice, zip_longest
from typing import Any, Final

from clang.cindex import CursorKind

from crawler.cpp.identifier_uses import Identifier
from crawler.extract.clang.cursor_locations import child_cursors
from crawler.extract.clang.declarations import Declaration
from crawler.extract.clang.signature import (
    read_template_parameter,
    template_parameter_cursors,
)
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.describe.instantiation_labels import make_argument_label
from crawler.extract.templates import default_arguments
from crawler.model import (
    Instantiation,
    InstantiationOrigin,
    KernelFacts,
    TemplateParameter,
)

MAX_GUESSES: Final = 48
"""Guesses for one kernel."""
_MOST_CLASSES: Final = 32
_MOST_OPERATORS: Final = 6
_MOST_FREE: Final = 4
"""Parameters without a default of a class template that is taken for a guess."""
_SHORTEST_STEM: Final = 4
_STEM: Final = re.compile(r"(?:(?<=[a-z])[A-Z]|_|\d)+$")
_NAME: Final = re.compile(r"(?<![\w:.])(?:::)?[A-Za-z_]\w*")
_QUALIFIED: Final = re.compile(r"[A-Za-z_]\w*(?:::\w+)+")
_TYPE: Final = re.compile(r"\bconst\b|\b__restrict(?:__)?\b|[*&]")
_SCALARS: Final = ("unsigned int", "int", "unsigned long", "unsigned char")
"""What else a type may be that is computed with."""
_NUMBERS: Final = ("4", "2", "1", "8", "16")
_CLASSES: Final = {CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL}
_CALL: Final = "operator()"


class ArgumentGuesser:
    """What may be guessed of one unit's declarations."""

    def __init__(self, context: UnitContext) -> None:
        self._around = context
        types = [
            one
            for one in context.declarations
            if one.kind == "type" and not _is_hidden(one)
        ]
        self._templates = [
            one for one in types if one.cursor.kind is CursorKind.CLASS_TEMPLATE
        ]
        self._classes = [one for one in types if _is_class(one)]
        self._spaces: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for one in self._classes:
            self._spaces[one.namespaces].append(_named(one, one.cursor.spelling))

    def guess_for(
        self,
        kernel: KernelFacts,
        declaration: Declaration,
        known_arguments: Sequence[Mapping[str, str]] = (),
    ) -> tuple[Instantiation, ...]:
        """Return guesses, the likelier ones first; none where a parameter is of no kind that
        can be guessed.

        Parameters of which something is `known_arguments` are not guessed at first. Those whose
        names differ in their last letter
        or number take the same class.
        """
        rows = (*known_arguments, {})
        most = MAX_GUESSES // len(rows)
        return _made(
            one
            for row in rows
            for one in islice(self._by(row, kernel, declaration), most)
        )

    def _by(
        self, told: Mapping[str, str], kernel: KernelFacts, declaration: Declaration
    ) -> Iterator[tuple[str, ...]]:
        pools = [
            (told[each.name],)
            if each.name in told
            else tuple(self._pool(each, kernel, declaration))
            for each in kernel.template_parameters
        ]
        if all(pools):
            names = [parameter.name for parameter in kernel.template_parameters]
            kinds = [
                (_stem(name), pool) for name, pool in zip(names, pools, strict=True)
            ]
            groups = list(dict.fromkeys(kinds))
            for at in order_combinations([len(pool) for _, pool in groups]):
                yield _resolved(
                    names,
                    [pool[at[groups.index((stem, pool))]] for stem, pool in kinds],
                )

    def vary_classes(
        self, fitting_arguments: Iterable[tuple[str, ...]]
    ) -> tuple[Instantiation, ...]:
        """Return arguments that fitted elsewhere, with one class in them replaced by others of
        its namespace in turn.

        Those that are declared nearest to it come first.
        """
        listed = [
            list(dict.fromkeys(names)) for space, names in self._spaces.items() if space
        ]
        return _made(
            _replaced(
                fitting_arguments, {name: names for names in listed for name in names}
            )
        )

    def _pool(
        self, parameter: TemplateParameter, kernel: KernelFacts, by: Declaration
    ) -> Iterable[str]:
        if parameter.default:
            return (qualify_names(parameter.default, by, self._around),)
        if parameter.kind != "type":
            first = default_arguments.list_argument_choices(parameter, kernel)[:1]
            return (
                tuple(dict.fromkeys((*first, *_NUMBERS)))
                if first and first[0].isdigit()
                else first
            )
        asked = _asked(parameter.name, kernel)
        classes = list(
            islice(self._fitting(_stem(parameter.name), asked, kernel), _MOST_CLASSES)
        )
        if count := _arity(parameter.name, kernel):
            return (*islice(self._operators(count, kernel), _MOST_OPERATORS), *classes)
        plain = (
            ()
            if asked
            else default_arguments.list_argument_choices(parameter, kernel)[:1]
            or default_arguments.ELEMENT_TYPES[:1]
        )
        return (*plain, *classes, *(_SCALARS if plain else ()))

    def _fitting(
        self, stem: str, asked: frozenset[str], kernel: KernelFacts
    ) -> Iterator[str]:
        """Yield the classes that have what is asked: in a namespace that is called like a
        parameter, called so, others.

        Where nothing is asked, those that share no name with it are none, and neither are
        templates.
        """
        wanted = [re.compile(rf"\b{re.escape(name)}\b") for name in asked]
        fitting = [one for one in self._classes if _has(one, wanted)]
        ranked = sorted(fitting, key=lambda one: _distance(one, stem))
        yield from dict.fromkeys(
            _named(one, one.cursor.spelling)
            for one in ranked
            if asked or _distance(one, stem) < 2
        )
        for one in self._templates if asked else ():
            if _has(one, wanted) and (text := self._of_elements(one, kernel)):
                yield text

    def _operators(self, count: int, kernel: KernelFacts) -> Iterator[str]:
        """Yield class templates whose objects are called with so many arguments, for a type
        that computes.
        """
        for one in self._templates:
            text = self._of_elements(one, kernel) if _CALL in one.raw_text else ""
            if text and count in _arities(one.cursor):
                yield text

    def _of_elements(self, one: Declaration, kernel: KernelFacts) -> str:
        """Return a class template with the usual arguments; nothing where it takes what has
        none.
        """
        own = [
            read_template_parameter(cursor, one.source)
            for cursor in template_parameter_cursors(one.cursor)
        ]
        free = [each for each in own if not each.default]
        given = [self._usual(each, kernel) for each in free[: _MOST_FREE + 1]]
        return (
            _named(one, f"{one.cursor.spelling}<{', '.join(given)}>")
            if all(given) and len(given) <= _MOST_FREE
            else ""
        )

    def _usual(self, parameter: TemplateParameter, kernel: KernelFacts) -> str:
        """Return what a class template of a guess takes: a class of the namespace that its
        parameter is called like.
        """
        if parameter.kind != "type":
            return next(
                iter(default_arguments.list_argument_choices(parameter, kernel)), ""
            )
        spaces = (
            names[0]
            for space, names in self._spaces.items()
            if _stem(parameter.name) in space[-1:]
        )
        return next(spaces, default_arguments.ELEMENT_TYPES[0])


def _has(one: Declaration, wanted: Sequence[re.Pattern[str]]) -> bool:
    """Tell whether a class has members of some names, as far as it does not have them of a base."""
    if not all(word.search(one.raw_text) for word in wanted):
        return False
    members = list(child_cursors(one.cursor)) if wanted else []
    if any(member.kind is CursorKind.CXX_BASE_SPECIFIER for member in members):
        return True
    names = {member.spelling for member in members}
    return all(any(word.fullmatch(name) for name in names) for word in wanted)


def _named(one: Declaration, text: str) -> str:
    return "::".join((*one.namespaces, text))


def _distance(one: Declaration, stem: str) -> int:
    if stem in one.namespaces[-1:]:
        return 0
    return (
        1 if len(stem) >= _SHORTEST_STEM and stem in one.cursor.spelling.lower() else 2
    )


def _is_class(one: Declaration) -> bool:
    """Tell whether a declaration defines a class that is no template."""
    cursor = one.cursor
    plain = (
        cursor.kind in _CLASSES
        and cursor.is_definition()
        and cursor.get_num_template_arguments() < 0
    )
    return bool(plain and cursor.spelling.isidentifier())


def _is_hidden(one: Declaration) -> bool:
    """Tell whether a class is one of a library's own details."""
    return any(name in ("detail", "impl") for name in one.namespaces)


def _replaced(
    taken: Iterable[tuple[str, ...]], spaces: Mapping[str, list[str]]
) -> Iterator[tuple[str, ...]]:
    """Yield what a replacement of each class gives, one of each class after the other."""
    first = next(iter(taken), ())
    named = dict.fromkeys(
        name for text in first for name in _QUALIFIED.findall(text) if name in spaces
    )
    nearest = [
        (name, islice(_outwards(spaces[name], spaces[name].index(name)), _MOST_CLASSES))
        for name in named
    ]
    for others in zip_longest(*(other for _, other in nearest)):
        for (name, _), other in zip(nearest, others, strict=True):
            if other:
                whole = re.compile(rf"(?<![\w:]){re.escape(name)}(?![\w:])")
                yield tuple(whole.sub(other, text) for text in first)


def _outwards(names: Sequence[str], at: int) -> Iterator[str]:
    for distance in range(1, len(names)):
        yield from names[at + distance : at + distance + 1]
        yield from names[max(0, at - distance) : max(0, at - distance + 1)]


def _made(listed: Iterable[tuple[str, ...]]) -> tuple[Instantiation, ...]:
    found = dict.fromkeys(islice(listed, MAX_GUESSES))
    return tuple(
        Instantiation(
            arguments=one,
            label=make_argument_label(one),
            origin=InstantiationOrigin.DEFAULT,
        )
        for one in found
    )


def order_combinations(pool_sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield which of so many choices to take each time, those first that are all among the
    first.
    """
    pending = [(0, (0,) * len(pool_sizes), 0)]
    while pending:
        total, at, changed = heappop(pending)
        yield at
        for place in range(changed, len(pool_sizes)):
            if at[place] + 1 < pool_sizes[place]:
                heappush(
                    pending,
                    (total + 1, (*at[:place], at[place] + 1, *at[place + 1 :]), place),
                )


def _resolved(names: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Return arguments in which those that defaults name stand for what they are."""
    known: dict[str, str] = {}
    for name, text in zip(names, texts, strict=True):
        known[name] = re.sub(
            r"(?<![\w:])[A-Za-z_]\w*",
            lambda word: known.get(word.group(), word.group()),
            text,
        )
    return tuple(known[name] for name in names)


def _asked(name: str, kernel: KernelFacts) -> frozenset[str]:
    """Return the members that a kernel and its head ask of a parameter, and of what has its
    type.
    """
    word = re.escape(name)
    found = set(
        re.findall(
            rf"\b{word}\s*::\s*(?:template\s+)?(\w+)",
            f"{kernel.source} {kernel.template_head}",
        )
    )
    for one in kernel.parameters:
        if one.name and _TYPE.sub("", one.type).strip() == name:
            found.update(
                re.findall(
                    rf"(?<![\w.>]){re.escape(one.name)}\s*(?:\.|->)\s*(\w+)",
                    kernel.source,
                )
            )
    return frozenset(found)


def qualify_names(text: str, referrer: Declaration, context: UnitContext) -> str:
    """Return a text that stands in a template's head as it may stand outside of its namespace."""

    def spelled(word: re.Match[str]) -> str:
        name = word.group()
        found = [
            one
            for one in context.scopes.resolve_identifier(Identifier(name), referrer)
            if one.namespaces
        ]
        return "::".join((*found[0].namespaces, name)) if found else name

    return _NAME.sub(spelled, text)


def _stem(name: str) -> str:
    """Return a parameter's name without what tells it from those beside it: `LayoutA` and
    `LayoutB` are layouts.
    """
    return _STEM.sub("", name).lower()


def _arity(name: str, kernel: KernelFacts) -> int:
    """Return how many arguments a kernel calls a parameter of such a type with; 0 where it
    calls none.
    """
    for one in kernel.parameters:
        if one.name and re.search(rf"\b{re.escape(name)}\b", one.type):
            called = re.search(rf"(?<![\w.>]){re.escape(one.name)}\s*\(", kernel.source)
            if called:
                return _commas(kernel.source, called.end()) + 1
    return 0


def _commas(text: str, start: int) -> int:
    depth = count = 0
    for character in text[start:]:
        depth += (character in "([{") - (character in ")]}")
        if depth < 0:
            break
        count += character == "," and depth == 0
    return count


def _arities(cursor: Any) -> frozenset[int]:
    return frozenset(
        sum(each.kind is CursorKind.PARM_DECL for each in child_cursors(call))
        for call in child_cursors(cursor)
        if call.spelling == _CALL
    )
