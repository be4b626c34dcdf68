"""What a kernel is given in a branch of `if constexpr` that no instantiation takes, by those beside it that are used.

`if constexpr (kVersion == Version::v4) first<Tile>…; else second<Tile>…;`: where only `second` is instantiated, `first`
takes the same types, with `Version::v4` in them in place of another enumerator.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from crawler.extract.brackets import split
from crawler.extract.branches import asked
from crawler.extract.instantiations import is_plain
from crawler.extract.labels import label
from crawler.extract.sightings import Key
from crawler.extract.source import Sources, SourceText
from crawler.extract.uses import Place, Use
from crawler.model import Instantiation, KernelSighting

_MOST_SITES: Final = 8
_LONGEST: Final = 400
_ENUMERATOR: Final = re.compile(r"(?:\w+::)*([A-Za-z_]\w*)::([A-Za-z_]\w*)")


def open_sites(uses: Iterable[Use]) -> Mapping[Key, Sequence[Place]]:
    """Return where each kernel is named in templates that are not instantiated there."""
    found: dict[Key, dict[Place, None]] = defaultdict(dict)
    for use in uses:
        if use.path and not use.arguments:
            found[(*use.target, use.kernel)][(use.path, use.offset)] = None
    return {key: tuple(places) for key, places in found.items()}


def branched(
    kernel: KernelSighting, taken: Sequence[Instantiation], sites: Iterable[Place], sources: Sources
) -> tuple[Instantiation, ...]:
    """Return one of what was taken over from other kernels as a branch that names the kernel would have it.

    Nothing, where no branch asks for anything that this does not have.
    """
    for one in taken[:1]:
        for path, offset in islice(sites, _MOST_SITES):
            arguments = _given(kernel, one.arguments, path, offset, sources)
            if arguments != one.arguments:
                return (replace(one, arguments=arguments, label=label(arguments)),)
    return ()


def _given(
    kernel: KernelSighting, arguments: tuple[str, ...], path: str, offset: int, sources: Sources
) -> tuple[str, ...]:
    """Return arguments with the enumerators that conditions round a place ask for, and the values written there."""
    source = sources[path]
    wanted = [found for ways in asked(source, offset) for value in ways[0].values() if (found := _enumerator(value))]
    if not wanted or len(arguments) != len(kernel.template_parameters):
        return arguments
    written = _written(source, offset)
    written = (*written, *arguments[len(written) :])[: len(arguments)]
    given: list[str] = []
    for parameter, text, here in zip(kernel.template_parameters, arguments, written, strict=True):
        is_value = parameter.kind == "value"
        own = [*wanted, *filter(None, [_enumerator(here)])] if is_value else wanted
        given.append(here if is_plain(here) else _with(text, own, alone=is_value))
    return tuple(given)


def _enumerator(written: str) -> tuple[str, str] | None:
    found = _ENUMERATOR.fullmatch(written)
    return (found[1], found[2]) if found else None


def _with(text: str, wanted: Iterable[tuple[str, str]], *, alone: bool) -> str:
    """Return a text with other values of enumerations; `alone` where the text may be one such value itself."""
    for enumeration, name in wanted:
        scoped = rf"(?<![\w:])(?:\w+::)*{re.escape(enumeration)}"
        text = re.sub(rf"static_cast<({scoped})>\(-?\d+\)", rf"\1::{name}", text)
        text = re.sub(rf"({scoped})::\w+", rf"\1::{name}", text) if alone and _enumerator(text) else text
    return text


def _written(source: SourceText, offset: int) -> tuple[str, ...]:
    """Return the template arguments behind the name that stands at a place."""
    first = source.position(offset) + 1
    depth = 0
    for at in range(first, min(first + _LONGEST, len(source.lexemes))):
        depth += {"<": 1, ">": -1}.get(source.lexemes[at].text, 0)
        if not depth:
            return split(source, source.lexemes[first + 1 : at])
    return ()
