"""Names that macros paste together where a declaration uses them: `CONVERT(half, float)` may call `half_to_float`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from crawler.extract.brackets import closing, split
from crawler.extract.macros import Macro
from crawler.extract.mentions import Mention
from crawler.extract.source import SourceText

_PARAMETERS: Final = re.compile(r"#[^(]*\(([^)]*)\)")
_PASTED: Final = re.compile(r"\b[A-Za-z_]\w*(?:\s*##\s*\w+)+")
_JOIN: Final = re.compile(r"\s*##\s*")
_MOST: Final = 64
_Pasted = tuple[tuple[str, ...], tuple[tuple[tuple[str, ...], bool], ...]]
"""A macro's parameters, and the parts of each name that it pastes with whether it is called."""


def pasted(source: SourceText, start: int, end: int, known: Mapping[str, Sequence[Macro]]) -> Iterator[Mention]:
    """Yield the names that the uses of `known` macros in a range of a file paste together."""
    lexemes = source.lexemes
    for at in range(source.position(start), min(source.position(end), len(lexemes) - 1)):
        macros = known.get(lexemes[at].text, ()) if lexemes[at + 1].text == "(" else ()
        for macro in macros:
            parameters, names = _of(macro.text)
            closed = closing(source, at + 1) if names else -1
            if closed > 0:
                values = dict(zip(parameters, split(source, lexemes[at + 2 : closed]), strict=False))
                yield from _made(names, values)


def _made(names: Sequence[tuple[tuple[str, ...], bool]], values: Mapping[str, str]) -> Iterator[Mention]:
    for parts, is_called in names:
        name = "".join(values.get(part, part) for part in parts)
        if name.isidentifier():
            yield Mention(name, is_called=is_called)


@lru_cache(maxsize=4096)
def _of(text: str) -> _Pasted:
    given = _PARAMETERS.match(text) if "##" in text else None
    if given is None:
        return (), ()
    body = text[given.end() :].replace("\\\n", " ")
    found = (
        (tuple(_JOIN.split(match[0])), body[match.end() :].lstrip().startswith(("(", "<")))
        for match in _PASTED.finditer(body)
    )
    parameters = tuple(part.strip() for part in given[1].split(","))
    return parameters, tuple(one for one, _ in zip(dict.fromkeys(found), range(_MOST), strict=False))
