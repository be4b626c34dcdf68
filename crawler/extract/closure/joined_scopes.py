"""Let neighbouring declarations share their scopes: `namespace a { … }` is opened once for all."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Final

from crawler.cpp import brackets
from crawler.model import Closure

# a line that `render_declaration` has written, in front of what stands in the scope; text that
# has no scopes of its own, such as a function whose result `namespace::kind` begins, does not
# end with a brace
_SCOPE_OPENING: Final = re.compile(
    r'(?:inline )?(?:namespace\b[^{}"\n]*|extern "C(?:\+\+)?") ?\{\n'
)
_SCOPE_END: Final = "\n}"


def join_scopes(closure: Closure) -> Closure:
    """Return a closure whose fragments together have the same code, with fewer scopes.

    What two neighbours both stand in is closed in front of neither. One fragment alone need not
    be balanced then. Where the structures that the host passes are made, the places of
    `closure.making`, both sides stay whole: other text may take their place.
    """
    openings = [_split_openings(fragment) for fragment in closure.fragments]
    seams = {seam for place in closure.making for seam in (place.start, place.end)}
    shared = [
        0 if seam in seams else _count_common(openings[seam - 1], openings[seam])
        for seam in range(1, len(openings))
    ]

    # nothing is shared in front of the first and behind the last
    fragments = [
        _drop_scopes(fragment, scopes, before, behind)
        for fragment, scopes, before, behind in zip(
            closure.fragments, openings, [0, *shared], [*shared, 0], strict=True
        )
    ]

    return replace(closure, fragments=tuple(fragments))


def _split_openings(fragment: str) -> list[str]:
    """Return the lines that open the scopes of the whole of a fragment, the outermost first."""
    openings: list[str] = []
    start = 0
    end = len(fragment)
    while match := _SCOPE_OPENING.match(fragment, start):
        brace = match.end() - len("{\n")
        is_whole = (
            fragment.endswith(_SCOPE_END, start, end)
            and brackets.closing_in_text(fragment, brace, pairs=brackets.BRACES)
            == end - 1
        )
        if not is_whole:
            break

        openings.append(match[0])
        start = match.end()
        end -= len(_SCOPE_END)

    return openings


def _count_common(left: Collection[str], right: Collection[str]) -> int:
    """Return how many of the outermost scopes are the same."""
    count = 0
    for left_opening, right_opening in zip(left, right, strict=False):
        if left_opening != right_opening:
            break
        count += 1

    return count


def _drop_scopes(fragment: str, openings: list[str], before: int, behind: int) -> str:
    """Return a fragment that neither opens its `before` outermost scopes nor closes `behind`."""
    start = sum(len(opening) for opening in openings[:before])
    end = len(fragment) - behind * len(_SCOPE_END)

    return fragment[start:end]
