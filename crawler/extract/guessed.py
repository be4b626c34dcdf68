"""What a template might be instantiated with that nothing uses: classes of its project that have what it asks of them.

None of it is known to fit: whoever takes a guess has it compiled.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, Final

from clang.cindex import CursorKind

from crawler.extract import defaults
from crawler.extract.closure import Surroundings
from crawler.extract.declarations import Declaration
from crawler.extract.labels import label
from crawler.extract.mentions import Mention
from crawler.extract.places import children
from crawler.extract.signature import template_parameter, template_parameters
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
_CLASSES: Final = {CursorKind.STRUCT_DECL, CursorKind.CLASS_DECL}
_CALL: Final = "operator()"


def guessed(kernel: KernelSighting, declaration: Declaration, around: Surroundings) -> tuple[Instantiation, ...]:
    """Return guesses, the likelier ones first; none where a parameter is of no kind that can be guessed.

    Parameters whose names differ in their last letter or number take the same class.
    """
    pools = [tuple(_pool(parameter, kernel, declaration, around)) for parameter in kernel.template_parameters]
    if not all(pools):
        return ()
    names = [parameter.name for parameter in kernel.template_parameters]
    kinds = [(_stem(name), pool) for name, pool in zip(names, pools, strict=True)]
    groups = list(dict.fromkeys(kinds))
    picks = _picks([len(pool) for _, pool in groups])
    spelled = ([pool[at[groups.index((stem, pool))]] for stem, pool in kinds] for at in picks)
    return _made(_resolved(names, texts) for texts in spelled)


def neighbours(taken: Iterable[tuple[str, ...]], around: Surroundings) -> tuple[Instantiation, ...]:
    """Return arguments that fitted elsewhere, with one class in them replaced by each of its namespace in turn."""
    by_space: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for one in around.declarations:
        if one.kind == "type" and one.namespaces and (name := _class_name(one)):
            by_space[one.namespaces].append("::".join((*one.namespaces, name)))
    space_of = {name: space for space, names in by_space.items() for name in names}
    return _made(_replaced(taken, {name: by_space[space] for name, space in space_of.items()}))


def _replaced(taken: Iterable[tuple[str, ...]], beside: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    for arguments in taken:
        named = dict.fromkeys(name for text in arguments for name in _QUALIFIED.findall(text) if name in beside)
        for name in named:
            whole = re.compile(rf"(?<![\w:]){re.escape(name)}(?![\w:])")
            for other in islice((one for one in beside[name] if one != name), _MOST_CLASSES):
                yield tuple(whole.sub(other, text) for text in arguments)


def _made(listed: Iterable[tuple[str, ...]]) -> tuple[Instantiation, ...]:
    found = dict.fromkeys(islice(listed, MOST))
    return tuple(Instantiation(arguments=one, label=label(one), origin=InstantiationOrigin.DEFAULT) for one in found)


def _picks(sizes: Sequence[int]) -> Iterable[tuple[int, ...]]:
    """Return which of so many choices to take each time, the first ones first."""
    bounded = [range(min(size, MOST)) for size in sizes]
    every = islice(product(*bounded), MOST * MOST)
    return sorted(every, key=lambda one: (sum(one), one))


def _resolved(names: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Return arguments in which those that defaults name stand for what they are."""
    known: dict[str, str] = {}
    for name, text in zip(names, texts, strict=True):
        known[name] = re.sub(r"(?<![\w:])[A-Za-z_]\w*", lambda word: known.get(word.group(), word.group()), text)
    return tuple(known[name] for name in names)


def _pool(parameter: TemplateParameter, kernel: KernelSighting, by: Declaration, around: Surroundings) -> Iterable[str]:
    if parameter.default:
        return (qualified(parameter.default, by, around),)
    if parameter.kind != "type":
        return defaults.choices(parameter, kernel)[:1]
    asked = frozenset(re.findall(rf"\b{re.escape(parameter.name)}\s*::\s*(?:template\s+)?(\w+)", kernel.source))
    classes = list(islice(_fitting(_stem(parameter.name), asked, kernel, around), _MOST_CLASSES))
    if count := _arity(parameter.name, kernel):
        return (*islice(_operators(count, kernel, around), _MOST_OPERATORS), *classes)
    plain = () if asked else defaults.choices(parameter, kernel)[:1] or defaults.ELEMENTS[:1]
    return (*plain, *classes)


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


def _fitting(stem: str, asked: frozenset[str], kernel: KernelSighting, around: Surroundings) -> Iterator[str]:
    """Yield the classes that have what is asked: of a namespace that is called like a parameter, then like it, others.

    Where nothing is asked, those that share no name with it are none, and neither are templates.
    """
    wanted = [re.compile(rf"\b{re.escape(name)}\b") for name in asked]
    found: tuple[list[str], ...] = ([], [], [], [])
    for one in around.declarations:
        if one.kind == "type" and all(word.search(one.written) for word in wanted):
            name = _class_name(one)
            text = name or (_of_elements(one, kernel) if asked else "")
            like = len(stem) >= _SHORTEST_STEM and stem in one.cursor.spelling.lower()
            rank = 0 if stem in one.namespaces[-1:] else 1 if like else 2
            if text:
                found[rank if name else 3].append("::".join((*one.namespaces, text)))
    yield from dict.fromkeys((*found[0], *found[1], *(found[2] + found[3] if asked else ())))


def _of_elements(one: Declaration, kernel: KernelSighting) -> str:
    """Return a class template with the usual arguments; nothing where it is none, or of no kind that has such."""
    if one.cursor.kind is not CursorKind.CLASS_TEMPLATE or _is_hidden(one):
        return ""
    own = [template_parameter(cursor, one.source) for cursor in template_parameters(one.cursor)]
    free = [each for each in own if not each.default]
    given = [_usual(each, kernel) for each in free]
    return f"{one.cursor.spelling}<{', '.join(given)}>" if all(given) and len(given) <= _MOST_FREE else ""


def _usual(parameter: TemplateParameter, kernel: KernelSighting) -> str:
    if parameter.kind == "type":
        return defaults.ELEMENTS[0]
    return next(iter(defaults.choices(parameter, kernel)), "")


def _is_hidden(one: Declaration) -> bool:
    """Tell whether a class is one of a library's own details."""
    return any(name in ("detail", "impl") for name in one.namespaces)


def _class_name(one: Declaration) -> str:
    """Return the name of a class that is no template."""
    cursor = one.cursor
    plain = cursor.kind in _CLASSES and cursor.is_definition() and cursor.get_num_template_arguments() < 0
    return str(cursor.spelling) if plain and not _is_hidden(one) and cursor.spelling.isidentifier() else ""


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


def _operators(count: int, kernel: KernelSighting, around: Surroundings) -> Iterator[str]:
    """Yield class templates whose objects are called with so many arguments, for a type that computes."""
    for one in around.declarations:
        text = _of_elements(one, kernel) if one.kind == "type" and _CALL in one.written else ""
        if text and count in _arities(one.cursor):
            yield "::".join((*one.namespaces, text))


def _arities(cursor: Any) -> frozenset[int]:
    return frozenset(
        sum(each.kind is CursorKind.PARM_DECL for each in children(call))
        for call in children(cursor)
        if call.spelling == _CALL
    )
