"""What a template might be instantiated with that nothing uses: classes of its project that have what it asks of them.

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

from crawler.extract import defaults
from crawler.extract.declarations import Declaration
from crawler.extract.labels import label
from crawler.extract.mentions import Mention
from crawler.extract.places import children
from crawler.extract.signature import template_parameter, template_parameters
from crawler.extract.surroundings import Surroundings
from crawler.model import Instantiation, InstantiationOrigin, KernelSighting, TemplateParameter

MOST: Final = 48
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


class Guesses:
    """What may be guessed of one unit's declarations."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        types = [one for one in around.declarations if one.kind == "type" and not _is_hidden(one)]
        self._templates = [one for one in types if one.cursor.kind is CursorKind.CLASS_TEMPLATE]
        self._classes = [one for one in types if _is_class(one)]
        self._spaces: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for one in self._classes:
            self._spaces[one.namespaces].append(_named(one, one.cursor.spelling))

    def of(
        self, kernel: KernelSighting, declaration: Declaration, told: Sequence[Mapping[str, str]] = ()
    ) -> tuple[Instantiation, ...]:
        """Return guesses, the likelier ones first; none where a parameter is of no kind that can be guessed.

        Parameters of which something is `told` are not guessed at first. Those whose names differ in their last letter
        or number take the same class.
        """
        rows = (*told, {})
        most = MOST // len(rows)
        return _made(one for row in rows for one in islice(self._by(row, kernel, declaration), most))

    def _by(
        self, told: Mapping[str, str], kernel: KernelSighting, declaration: Declaration
    ) -> Iterator[tuple[str, ...]]:
        pools = [
            (told[each.name],) if each.name in told else tuple(self._pool(each, kernel, declaration))
            for each in kernel.template_parameters
        ]
        if all(pools):
            names = [parameter.name for parameter in kernel.template_parameters]
            kinds = [(_stem(name), pool) for name, pool in zip(names, pools, strict=True)]
            groups = list(dict.fromkeys(kinds))
            for at in _picks([len(pool) for _, pool in groups]):
                yield _resolved(names, [pool[at[groups.index((stem, pool))]] for stem, pool in kinds])

    def beside(self, taken: Iterable[tuple[str, ...]]) -> tuple[Instantiation, ...]:
        """Return arguments that fitted elsewhere, with one class in them replaced by others of its namespace in turn.

        Those that are declared nearest to it come first.
        """
        listed = [list(dict.fromkeys(names)) for space, names in self._spaces.items() if space]
        return _made(_replaced(taken, {name: names for names in listed for name in names}))

    def _pool(self, parameter: TemplateParameter, kernel: KernelSighting, by: Declaration) -> Iterable[str]:
        if parameter.default:
            return (qualified(parameter.default, by, self._around),)
        if parameter.kind != "type":
            first = defaults.choices(parameter, kernel)[:1]
            return tuple(dict.fromkeys((*first, *_NUMBERS))) if first and first[0].isdigit() else first
        asked = _asked(parameter.name, kernel)
        classes = list(islice(self._fitting(_stem(parameter.name), asked, kernel), _MOST_CLASSES))
        if count := _arity(parameter.name, kernel):
            return (*islice(self._operators(count, kernel), _MOST_OPERATORS), *classes)
        plain = () if asked else defaults.choices(parameter, kernel)[:1] or defaults.ELEMENTS[:1]
        return (*plain, *classes, *(_SCALARS if plain else ()))

    def _fitting(self, stem: str, asked: frozenset[str], kernel: KernelSighting) -> Iterator[str]:
        """Yield the classes that have what is asked: in a namespace that is called like a parameter, called so, others.

        Where nothing is asked, those that share no name with it are none, and neither are templates.
        """
        wanted = [re.compile(rf"\b{re.escape(name)}\b") for name in asked]
        fitting = [one for one in self._classes if _has(one, wanted)]
        ranked = sorted(fitting, key=lambda one: _distance(one, stem))
        yield from dict.fromkeys(
            _named(one, one.cursor.spelling) for one in ranked if asked or _distance(one, stem) < 2
        )
        for one in self._templates if asked else ():
            if _has(one, wanted) and (text := self._of_elements(one, kernel)):
                yield text

    def _operators(self, count: int, kernel: KernelSighting) -> Iterator[str]:
        """Yield class templates whose objects are called with so many arguments, for a type that computes."""
        for one in self._templates:
            text = self._of_elements(one, kernel) if _CALL in one.written else ""
            if text and count in _arities(one.cursor):
                yield text

    def _of_elements(self, one: Declaration, kernel: KernelSighting) -> str:
        """Return a class template with the usual arguments; nothing where it takes what has none."""
        own = [template_parameter(cursor, one.source) for cursor in template_parameters(one.cursor)]
        free = [each for each in own if not each.default]
        given = [self._usual(each, kernel) for each in free[: _MOST_FREE + 1]]
        return (
            _named(one, f"{one.cursor.spelling}<{', '.join(given)}>") if all(given) and len(given) <= _MOST_FREE else ""
        )

    def _usual(self, parameter: TemplateParameter, kernel: KernelSighting) -> str:
        """Return what a class template of a guess takes: a class of the namespace that its parameter is called like."""
        if parameter.kind != "type":
            return next(iter(defaults.choices(parameter, kernel)), "")
        spaces = (names[0] for space, names in self._spaces.items() if _stem(parameter.name) in space[-1:])
        return next(spaces, defaults.ELEMENTS[0])


def _has(one: Declaration, wanted: Sequence[re.Pattern[str]]) -> bool:
    """Tell whether a class has members of some names, as far as it does not have them of a base."""
    if not all(word.search(one.written) for word in wanted):
        return False
    members = list(children(one.cursor)) if wanted else []
    if any(member.kind is CursorKind.CXX_BASE_SPECIFIER for member in members):
        return True
    names = {member.spelling for member in members}
    return all(any(word.fullmatch(name) for name in names) for word in wanted)


def _named(one: Declaration, text: str) -> str:
    return "::".join((*one.namespaces, text))


def _distance(one: Declaration, stem: str) -> int:
    if stem in one.namespaces[-1:]:
        return 0
    return 1 if len(stem) >= _SHORTEST_STEM and stem in one.cursor.spelling.lower() else 2


def _is_class(one: Declaration) -> bool:
    """Tell whether a declaration defines a class that is no template."""
    cursor = one.cursor
    plain = cursor.kind in _CLASSES and cursor.is_definition() and cursor.get_num_template_arguments() < 0
    return bool(plain and cursor.spelling.isidentifier())


def _is_hidden(one: Declaration) -> bool:
    """Tell whether a class is one of a library's own details."""
    return any(name in ("detail", "impl") for name in one.namespaces)


def _replaced(taken: Iterable[tuple[str, ...]], spaces: Mapping[str, list[str]]) -> Iterator[tuple[str, ...]]:
    """Yield what a replacement of each class gives, one of each class after the other."""
    first = next(iter(taken), ())
    named = dict.fromkeys(name for text in first for name in _QUALIFIED.findall(text) if name in spaces)
    nearest = [(name, islice(_outwards(spaces[name], spaces[name].index(name)), _MOST_CLASSES)) for name in named]
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
    found = dict.fromkeys(islice(listed, MOST))
    return tuple(Instantiation(arguments=one, label=label(one), origin=InstantiationOrigin.DEFAULT) for one in found)


def _picks(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield which of so many choices to take each time, those first that are all among the first."""
    pending = [(0, (0,) * len(sizes), 0)]
    while pending:
        total, at, changed = heappop(pending)
        yield at
        for place in range(changed, len(sizes)):
            if at[place] + 1 < sizes[place]:
                heappush(pending, (total + 1, (*at[:place], at[place] + 1, *at[place + 1 :]), place))


def _resolved(names: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Return arguments in which those that defaults name stand for what they are."""
    known: dict[str, str] = {}
    for name, text in zip(names, texts, strict=True):
        known[name] = re.sub(r"(?<![\w:])[A-Za-z_]\w*", lambda word: known.get(word.group(), word.group()), text)
    return tuple(known[name] for name in names)


def _asked(name: str, kernel: KernelSighting) -> frozenset[str]:
    """Return the members that a kernel and its head ask of a parameter, and of what has its type."""
    word = re.escape(name)
    found = set(re.findall(rf"\b{word}\s*::\s*(?:template\s+)?(\w+)", f"{kernel.source} {kernel.template_head}"))
    for one in kernel.parameters:
        if one.name and _TYPE.sub("", one.type).strip() == name:
            found.update(re.findall(rf"(?<![\w.>]){re.escape(one.name)}\s*(?:\.|->)\s*(\w+)", kernel.source))
    return frozenset(found)


def qualified(text: str, by: Declaration, around: Surroundings) -> str:
    """Return a text that stands in a template's head as it may stand outside of its namespace."""

    def spelled(word: re.Match[str]) -> str:
        name = word.group()
        found = [one for one in around.scopes.meant(Mention(name), by) if one.namespaces]
        return "::".join((*found[0].namespaces, name)) if found else name

    return _NAME.sub(spelled, text)


def _stem(name: str) -> str:
    """Return a parameter's name without what tells it from those beside it: `LayoutA` and `LayoutB` are layouts."""
    return _STEM.sub("", name).lower()


def _arity(name: str, kernel: KernelSighting) -> int:
    """Return how many arguments a kernel calls a parameter of such a type with; 0 where it calls none."""
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
        sum(each.kind is CursorKind.PARM_DECL for each in children(call))
        for call in children(cursor)
        if call.spelling == _CALL
    )
