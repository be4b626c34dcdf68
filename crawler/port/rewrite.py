"""Applies the rules to names and headers: strings, characters, comments and messages always stay as they are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from operator import attrgetter, itemgetter

from crawler.model import Change
from crawler.port import duplicates, emptied, ptx
from crawler.port.rules import HEADER_FOLDERS, HEADERS, LIKE_HIP, NAMES, NAMESPACES, NOT_HIP, OF_HIP, TOOLKIT, libraries
from crawler.visible import Edit, Visible, is_word

Renamed = tuple[int, int, str, str]
"""Where a name or a header begins and ends, what it becomes, and by which rule."""

_MEMBER_ACCESS = frozenset({".", "->"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A text in HIP, and what was changed."""

    text: str
    changes: tuple[Change, ...]
    names: frozenset[str]
    """Every name in it, and more."""


def rewrite(seen: Visible, *, whole: bool = True) -> Rewritten:
    """Return a text in HIP; doing it again changes nothing.

    A text that is not `whole` was cut out of what CUDA's compiler sees: its branches for HIP stay shut.
    """
    single, changes = duplicates.without(seen)
    assigned = () if whole and _speaks_hip(single) else emptied.edits(single)
    translated = sorted([*ptx.edits(single), *assigned], key=itemgetter(0))
    origin = Origin([edit for edit, _ in translated])
    assembled = Visible(edited(single.text, origin.edits)) if translated else single
    renamed = sorted([*_headers(assembled), *_names(assembled, whole=whole)])
    changes += (change for _, change in translated)
    changes += (
        Change(rule=rule, line=single.line(origin.of(start)), before=assembled.text[start:end], after=after)
        for start, end, after, rule in renamed
    )
    return Rewritten(
        text=edited(assembled.text, [(start, end, after) for start, end, after, _ in renamed]),
        changes=tuple(sorted(changes, key=attrgetter("line"))),
        names=assembled.words.union(after for _, _, after, _ in renamed),
    )


class Origin:
    """Where in a text stood what stands at a place of it after edits."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self.edits = edits
        grown = accumulate((len(new) - (end - start) for start, end, new in edits), initial=0)
        self._starts = [start + shift for (start, _, _), shift in zip(edits, grown, strict=False)]

    def of(self, at: int) -> int:
        """Return the place before the edits; where an edit begins for what is in it."""
        last = bisect_right(self._starts, at) - 1
        if last < 0:
            return at
        start, end, new = self.edits[last]
        behind = at - self._starts[last] - len(new)
        return start if behind < 0 else end + behind


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with what stands at each place replaced; places are in order and do not overlap."""
    pieces: list[str] = []
    done = 0
    for start, end, new in edits:
        pieces += (text[done:start], new)
        done = end
    return "".join([*pieces, text[done:]])


@lru_cache(maxsize=4096)
def header(text: str) -> str:
    """Return what an included header, with its brackets or quotes, becomes."""
    inner = text[1:-1]
    renamed = HEADERS.get(inner) or next(
        (hip for folder, hip in HEADER_FOLDERS.items() if inner.startswith(folder)), ""
    )
    return f"<{renamed}>" if renamed else text


def _headers(seen: Visible) -> Iterator[Renamed]:
    for start, end in seen.headers:
        before = seen.text[start:end]
        after = header(before)
        if after != before:
            yield start, end, after, "header"


def _names(seen: Visible, *, whole: bool) -> Iterator[Renamed]:
    kept = LIKE_HIP if whole and not LIKE_HIP.isdisjoint(seen.words) and _speaks_hip(seen) else frozenset()
    for word in seen.words - kept:
        rule, after = (_renaming if whole else _renaming_in_unit)(word)
        for at in seen.places(word) if rule else ():
            end = at + len(word)
            place, before = seen.before(at)
            if before not in _MEMBER_ACCESS and (rule != "namespace" or _is_namespace(seen, place, before, end)):
                yield at, end, after, rule


@lru_cache(maxsize=1 << 16)
def _renaming(word: str) -> tuple[str, str]:
    """Return the rule for a name, empty where there is none, and its new name."""
    if word in NAMESPACES:
        return "namespace", NAMESPACES[word]
    rule, after = NAMES.get(word) or ("library", libraries.renamed(word))
    return ("", word) if after == word else (rule, after)


@lru_cache(maxsize=1 << 16)
def _renaming_in_unit(word: str) -> tuple[str, str]:
    if OF_HIP.fullmatch(word):
        return "branch", NOT_HIP
    return ("compiler", TOOLKIT[word]) if word in TOOLKIT else _renaming(word)


def _speaks_hip(seen: Visible) -> bool:
    of_hip = ("hip", "__hip", "HIP_")
    return any(word.startswith(of_hip) for word in seen.words) or any(
        seen.text.startswith("hip", start + 1) for start, _ in seen.headers
    )


def _is_namespace(seen: Visible, place: int, before: str, end: int) -> bool:
    if before == "::" and is_word(seen.before(place)[1][-1:]):
        return False
    if seen.after(end) == "::" or before == "namespace":
        return True
    return before == "=" and seen.before(seen.before(place)[0])[1] == "namespace"
