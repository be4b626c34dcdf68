"""Give the members of structures unique names, and resolve overlapping members of unions."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from crawler.cpp.identifiers import WORD
from crawler.validate.inputs.arguments.shape_stride_layouts import is_nested_member
from crawler.validate.values.parameter_types import StructureMember, TypeKind


def disambiguate_members(
    members: Sequence[StructureMember],
) -> tuple[StructureMember, ...]:
    """Return members of which no two numbers or pointers share a name.

    A tuple that inherits from itself has several members of one name. Those that lie one
    behind the other become one array, which goes by the name of the class that holds nothing
    else. Where several classes have that name, it says where its owner begins: four `tile.head`
    of `tile` in the second `part`, 32 bytes into the whole, are four elements of
    `part@32.tile`.
    """
    name_counts = Counter(
        member.name for member in members if member.type.kind is not TypeKind.CLASS
    )
    # The usual structure: nothing to do.
    if all(count == 1 for count in name_counts.values()):
        return tuple(members)

    return tuple(_iter_disambiguated(members, name_counts))


def drop_overlapping_members(
    members: Sequence[StructureMember], kernel_words: Set[str]
) -> tuple[StructureMember, ...]:
    """Return members of which no two share a byte, as those of a union do.

    Those stay whose names have the most of `kernel_words`: what the kernel reads has a value.
    """

    def rank(index: int) -> int:
        words = WORD.findall(members[index].name)
        return -sum(word in kernel_words for word in words)

    # Classes overlap their own members, and take no bytes themselves.
    leaf_indices = [
        index
        for index, member in enumerate(members)
        if member.type.kind is not TypeKind.CLASS
    ]

    occupied: list[tuple[int, int]] = []
    dropped: set[int] = set()

    for index in sorted(leaf_indices, key=rank):
        begin = members[index].offset
        end = _end_offset(members[index])
        position = bisect(occupied, (begin, end))

        # Occupied ranges do not overlap, so that only the two neighbours can be in the way.
        neighbours = occupied[max(0, position - 1) : position + 1]
        is_overlapping = any(
            other_begin < end and begin < other_end
            for other_begin, other_end in neighbours
        )

        if is_overlapping:
            dropped.add(index)
        else:
            occupied.insert(position, (begin, end))

    return tuple(member for index, member in enumerate(members) if index not in dropped)


def _end_offset(member: StructureMember) -> int:
    return member.offset + member.type.size * member.count


def _iter_disambiguated(
    members: Sequence[StructureMember], name_counts: Counter[str]
) -> Iterator[StructureMember]:
    owner_counts = Counter(
        member.name for member in members if member.type.kind is TypeKind.CLASS
    )
    owners: list[StructureMember] = []
    index = 0

    while index < len(members):
        first = members[index]
        owners = [owner for owner in owners if is_nested_member(first, owner)]

        if first.type.kind is TypeKind.CLASS:
            owners.append(first)
            index += 1
            yield first
            continue

        # A unique name under an ambiguous owner is ambiguous with it.
        has_namesake_owner = any(owner_counts[owner.name] > 1 for owner in owners)
        if name_counts[first.name] == 1 and not has_namesake_owner:
            index += 1
            yield first
            continue

        length = _row_length(members, index)
        row = replace(first, count=first.count * length)
        yield replace(row, name=_name_row(row, owners, owner_counts))
        index += length


def _row_length(members: Sequence[StructureMember], start: int) -> int:
    """Return how many members from `start` on are alike and lie one behind the other."""
    first = members[start]
    if first.count != 1:
        return 1

    length = 1
    for member in members[start + 1 :]:
        next_element = replace(first, offset=first.offset + length * first.type.size)
        if member != next_element:
            break

        length += 1

    return length


def _name_row(
    row: StructureMember, owners: Sequence[StructureMember], owner_counts: Counter[str]
) -> str:
    """Return the name of the outermost class that holds the row and nothing else."""
    row_size = row.type.size * row.count
    name = row.name
    enclosing = None

    for owner in reversed(owners):
        # An owner of the same size holds the row and nothing else.
        if owner.type.size != row_size:
            enclosing = owner
            break

        name = owner.name

    if enclosing is None or owner_counts[enclosing.name] == 1:
        return name

    suffix = name.removeprefix(f"{enclosing.name}.")
    return f"{enclosing.name}@{enclosing.offset}.{suffix}"
