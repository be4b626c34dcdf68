"""Give the members of structures unique names, and resolve overlapping members of unions."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from crawler.validate.inputs.arguments.shape_stride_layouts import is_nested_member
from crawler.validate.values.parameter_types import StructureMember, TypeKind


def disambiguate_members(
    members: Sequence[StructureMember],
) -> tuple[StructureMember, ...]:
    """Return members of which no two leaves have the same name, and those with one name that
    lie in a row are one.

    Such a row goes by the name of what holds it and nothing else, and says where that one's
    owner begins if there are
    several: four `tile.head` of `tile` in the second `part`, 32 bytes into the whole, are four
    elements of
    `part@32.tile`.
    """
    shared = Counter(
        each.name for each in members if each.type.kind is not TypeKind.CLASS
    )
    if all(count == 1 for count in shared.values()):
        return tuple(members)
    return tuple(_apart(members, shared))


def drop_overlapping_members(
    members: Sequence[StructureMember], kernel_words: Set[str]
) -> tuple[StructureMember, ...]:
    """Return members of which no two share a byte, as those of a union do: those stay whose
    words are `kernel_words`.
    """
    leaves = [
        at for at, each in enumerate(members) if each.type.kind is not TypeKind.CLASS
    ]
    kept: list[tuple[int, int]] = []
    gone: set[int] = set()
    for at in sorted(
        leaves,
        key=lambda at: (
            -sum(word in kernel_words for word in re.findall(r"\w+", members[at].name))
        ),
    ):
        begin, end = members[at].offset, _end(members[at])
        place = bisect(kept, (begin, end))
        if any(
            one < end and begin < other
            for one, other in kept[max(0, place - 1) : place + 1]
        ):
            gone.add(at)
        else:
            kept.insert(place, (begin, end))
    return tuple(each for at, each in enumerate(members) if at not in gone)


def _end(member: StructureMember) -> int:
    return member.offset + member.type.size * member.count


def _apart(
    members: Sequence[StructureMember], shared: Counter[str]
) -> Iterator[StructureMember]:
    around: list[StructureMember] = []
    owners = Counter(each.name for each in members if each.type.kind is TypeKind.CLASS)
    at = 0
    while at < len(members):
        first = members[at]
        around = [each for each in around if is_nested_member(first, each)]
        is_class = first.type.kind is TypeKind.CLASS
        if is_class or not (
            shared[first.name] > 1 or any(owners[each.name] > 1 for each in around)
        ):
            around += [first] if is_class else []
            at += 1
            yield first
            continue
        length = _row(members, at)
        row = replace(first, count=first.count * length)
        yield replace(row, name=_named(row, around, owners))
        at += length


def _row(members: Sequence[StructureMember], at: int) -> int:
    """Return how many of the members from a place on are alike and lie one behind the other."""
    first = members[at]
    if first.count != 1:
        return 1
    length = 1
    for each in members[at + 1 :]:
        expected = first.offset + length * first.type.size
        if (each.name, each.type, each.count, each.offset) != (
            first.name,
            first.type,
            1,
            expected,
        ):
            break
        length += 1
    return length


def _named(
    row: StructureMember, around: Sequence[StructureMember], owners: Counter[str]
) -> str:
    size = row.type.size * row.count
    name, owner = row.name, None
    for each in reversed(around):
        if each.type.size != size:
            owner = each
            break
        name = each.name
    if owner is None or owners[owner.name] == 1:
        return name
    return f"{owner.name}@{owner.offset}.{name.removeprefix(f'{owner.name}.')}"
