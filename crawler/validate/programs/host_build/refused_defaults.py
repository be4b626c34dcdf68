"""Drop the default arguments that nvcc takes and clang refuses, of a translated source.

nvcc takes a default that a template's definition states again, or adds: `template <class T> void
f(T x, int n = 0);` and `template <class T> void f(T x, int n = 0) {}` below it. Clang names each
place; what it names is dropped, and the declaration's own default stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.arguments import find_top_level
from crawler.cpp.brackets import closing_token
from crawler.cpp.edits import Edit, apply_edits
from crawler.cpp.lexer import join_tokens, tokenize
from crawler.validate.emulator.source.internal_functions import drop_internal
from crawler.validate.programs.host_build.line_markers import split_by_origin

# what clang prints of a parameter with such a default
_REFUSED: Final = re.compile(
    r"^(?P<path>[^\n]{1,4096}?):(?P<line>\d+):(?P<column>\d+): error: "
    r"(?:redefinition of default argument|default arguments cannot be added to)",
    re.MULTILINE,
)
# what clang says of a function that was declared before without being a device's
_REFUSED_LINKAGE: Final = re.compile(
    r"error: 'internal_linkage' attribute does not appear on the first declaration"
)
_MAX_LENGTH: Final = 4096
"""Characters of a parameter behind its name, with its default."""


def mend_refused(text: str, messages: str) -> str:
    """Return a translated `text` without what clang's `messages` refuse and nvcc takes: `text`
    itself where they name nothing of that.
    """
    if _REFUSED_LINKAGE.search(messages):
        return drop_internal(text)
    return drop_refused_defaults(text, messages)


def drop_refused_defaults(text: str, messages: str) -> str:
    """Return a translated `text` without the defaults that clang's `messages` name: `text` itself
    where they name none.
    """
    columns_by_place: dict[tuple[str, int], set[int]] = {}
    for match in _REFUSED.finditer(messages):
        place = match["path"], int(match["line"])
        columns_by_place.setdefault(place, set()).add(int(match["column"]))
    if not columns_by_place:
        return text

    edits = {
        edit
        for place, start in _iter_lines(text)
        for column in columns_by_place.get(place, ())
        if (edit := _find_default(text, start + column - 1)) is not None
    }
    return apply_edits(text, sorted(edits))


def _iter_lines(text: str) -> Iterator[tuple[tuple[str, int], int]]:
    """Yield the place of each of the project's lines as clang names it, and where it begins."""
    start = 0
    for region in split_by_origin(text):
        if region.is_system:
            start += len(region.text)
            continue
        for number, line in enumerate(region.text.splitlines(keepends=True), start=1):
            yield region.find_place(number), start
            start += len(line)


def _find_default(text: str, start: int) -> Edit | None:
    """Return what drops the default of the parameter whose name begins at `start`."""
    tokens = list(tokenize(text[start : start + _MAX_LENGTH]))
    # as if the list had begun here: the bracket that closes it is then the first one too many
    opened = list(tokenize("(")) + tokens
    closing = closing_token(opened, 0)
    if closing < 0:
        return None

    parameters = tokens[: closing - 1]
    comma = find_top_level(parameters, ",")
    parameter = parameters if comma < 0 else parameters[:comma]
    sign = find_top_level(parameter, "=")
    if sign < 0:
        return None

    begin = start + len(join_tokens(parameter[:sign]))
    end = start + len(join_tokens(parameter))
    # lines keep their numbers
    return begin, end, "\n" * text.count("\n", begin, end)
