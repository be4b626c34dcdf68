"""Identifiers that macros form with `##` or qualify with `::`.

`CONVERT(half, float)` may call `half_to_float`, and `VARIABLE(LOGGING)` mean
`library::environment::LOGGING`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from crawler.cpp.identifier_uses import Identifier
from crawler.cpp.preprocessor.macros import Macro
from crawler.cpp.source_text import SourceText
from crawler.cpp.token_brackets import find_closing_bracket, split_argument_texts

_PARAMETERS: Final = re.compile(r"#[^(]*\(([^)]*)\)")
_PASTED: Final = re.compile(
    r"(?P<scope>(?:\b[A-Za-z_]\w*\s*::\s*)*)(?P<name>\b[A-Za-z_]\w*(?:\s*##\s*\w+)*)"
)
_JOIN: Final = re.compile(r"\s*##\s*")
_SCOPE: Final = re.compile(r"\s*::\s*")
_MOST: Final = 64


class _Made(NamedTuple):
    """A name that a macro makes: what stands in front of it, its parts, and whether it is
    called.
    """

    scope: tuple[str, ...]
    parts: tuple[str, ...]
    is_called: bool


_Pasted = tuple[tuple[str, ...], tuple[_Made, ...]]
"""A macro's parameters, and the names that it makes."""


def find_pasted_identifiers(
    source: SourceText,
    start: int,
    end: int,
    macros_by_name: Mapping[str, Sequence[Macro]],
) -> Iterator[Identifier]:
    """Yield the names that the uses of `macros_by_name` macros in a range of a file make."""
    lexemes = source.lexemes
    for at in range(
        source.lexeme_index(start), min(source.lexeme_index(end), len(lexemes) - 1)
    ):
        macros = (
            macros_by_name.get(lexemes[at].text, ())
            if lexemes[at + 1].text == "("
            else ()
        )
        for macro in macros:
            parameters, names = _of(macro.text)
            closed = find_closing_bracket(source, at + 1) if names else -1
            if closed > 0:
                values = dict(
                    zip(
                        parameters,
                        split_argument_texts(source, lexemes[at + 2 : closed]),
                        strict=False,
                    )
                )
                yield from _made(names, values)


def _made(names: Sequence[_Made], values: Mapping[str, str]) -> Iterator[Identifier]:
    for made in names:
        name = "".join(values.get(part, part) for part in made.parts)
        if name.isidentifier():
            yield Identifier(name, made.scope, is_called=made.is_called)


@lru_cache(maxsize=4096)
def _of(text: str) -> _Pasted:
    given = _PARAMETERS.match(text) if "##" in text or "::" in text else None
    if given is None:
        return (), ()
    body = text[given.end() :].replace("\\\n", " ")
    parameters = tuple(part.strip() for part in given[1].split(","))
    found = (_read(match, body) for match in _PASTED.finditer(body))
    made = dict.fromkeys(
        one
        for one in found
        if len(one.parts) > 1 or (one.scope and one.parts[0] in parameters)
    )
    return parameters, tuple(islice(made, _MOST))


def _read(match: re.Match[str], body: str) -> _Made:
    scope = tuple(part for part in _SCOPE.split(match["scope"]) if part)
    is_called = body[match.end() :].lstrip().startswith(("(", "<"))
    return _Made(scope, tuple(_JOIN.split(match["name"])), is_called)
