"""Choices of strides that keep rows from overlapping, recognised by the names of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from crawler.model import Parameter, TemplateParameter
from crawler.validate.evidence.launch_configuration import ValueChooser
from crawler.validate.evidence.names import is_block_size

_NUMBERED: Final = re.compile(
    r"(?i)(?:(?:^|_)(?:s|nb|stride_?)\d?([0-3])|\bnb\[([0-3])\])$"
)
"""Strides by the number of their axis, the first being the innermost."""
_BY_AXIS: Final = re.compile(r"(.*)(?:\.|->)strides?(?:\(\))?[(\[](-?\d)[)\]]$")
"""Strides of a tensor by the number of their axis, the first being the outermost."""
_STRIDE: Final = re.compile(
    r"(?i)(?:strides?_?(?:\w{1,8}|_\w{1,16}|\.\w{1,30})?|pitch|(?:^|_)ld[a-z]?|_s_[a-z]{3,12})$"
)
_TYPE: Final = re.compile(r"(?:[Ss]trides?|^Strides?(?:_|[A-Z])\w{0,7})$")
_OFFSET: Final = re.compile(r"(?i)(?:^|_|\.)off(?:set)?$")
"""Where the second of two arrays in one buffer begins."""
ALIGNMENT_ELEMENTS: Final = 16
"""Elements: with as many, rows of the smallest types begin where the widest access may."""
_ALIGNED_FROM: Final = 5
"""What is less counts batches, groups and the like."""
_OF_GROUP: Final = re.compile(
    r"(?i)group_?size$|(?:elem(?:ent)?s?|values?)_per_(?:group|block)$"
)
"""Counts elements, however few they are."""
_TIMES: Final = 8
_FAR: Final = 64
"""Times as far apart as usual, for rows whose length is a constant of the kernel."""
_ALIKE: Final = 1 << 15
_NEAREST: Final = 1 << 12
_FARTHEST: Final = 1 << 19
_FEW: Final = 4


def generate_stride_choices(names: Sequence[str]) -> Iterator[ValueChooser]:
    """Yield ways to choose what goes by the name of a stride, so that no row lies upon another."""
    before: list[dict[str, int]] = []
    for is_turned in (False, True):
        chosen = (
            _numbered(names, 1)
            | _by_axis(names, 1, not is_turned)
            | _named(names, is_turned)
        )
        if chosen and chosen not in before:
            before.append(chosen)
            yield partial(_known_or, chosen)


def generate_far_stride_choices(names: Sequence[str]) -> Iterator[ValueChooser]:
    """Yield ways to choose strides for rows whose length is a constant of the kernel: all far,
    then of few rows.

    What begins at an offset lies behind all others.
    """
    offsets = dict.fromkeys((name for name in names if _OFFSET.search(name)), _FARTHEST)
    chosen = (
        _numbered(names, _FAR)
        | _by_axis(names, _FAR, False)
        | _far_named(names)
        | offsets
    )
    if chosen:
        yield partial(_known_or, chosen)
        yield partial(_few_or, chosen)


def is_stride_name(variable: str) -> bool:
    """Tell whether a free variable is how far rows lie apart, by its name."""
    return any(each.search(variable) for each in (_NUMBERED, _BY_AXIS, _STRIDE))


def find_stride_parameters(
    parameters: Sequence[Parameter], template_parameters: Sequence[TemplateParameter]
) -> frozenset[str]:
    """Return the parameters whose types are the template's own and go by the name of strides."""
    types = {each.name for each in template_parameters if _TYPE.search(each.name)}
    return frozenset(
        each.name
        for each in parameters
        if each.type.removeprefix("const ").strip() in types
    )


def _numbered(names: Sequence[str], scale: int) -> dict[str, int]:
    found = {
        name: int(number[1] or number[2])
        for name in names
        if (number := _NUMBERED.search(name))
    }
    return {
        name: _TIMES ** (axis + 1) * scale if axis else 1
        for name, axis in found.items()
    }


def _by_axis(names: Sequence[str], scale: int, is_dense: bool) -> dict[str, int]:
    """Return strides of tensors; where they are dense, the last axis that is asked for is their
    innermost.
    """
    tensors: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        if found := _BY_AXIS.match(name):
            tensors.setdefault(found[1], []).append((int(found[2]), name))
    chosen: dict[str, int] = {}
    for axes in tensors.values():
        ordered = [name for axis, name in sorted(axes, reverse=True) if axis >= 0]
        values = [_TIMES**3 * scale * _TIMES**at for at in range(len(ordered))]
        if is_dense and len(ordered) > 1:
            values = [1, *values]
        chosen |= dict(zip(ordered, values, strict=False)) | {
            name: 1 for axis, name in axes if axis == -1
        }
    return chosen


def _far_named(names: Sequence[str]) -> dict[str, int]:
    """Return far strides: of an array with several the first the farthest, those of a structure
    all alike.
    """
    others = _others(names)
    chosen = dict.fromkeys(others, _ALIKE)
    for group in _by_first_word([name for name in others if "." not in name]):
        for at, name in enumerate(group if len(group) > 1 else ()):
            chosen[name] = min(_NEAREST * _TIMES ** (len(group) - 1 - at), _FARTHEST)
    return chosen


def _others(names: Sequence[str]) -> list[str]:
    return [
        name
        for name in names
        if _STRIDE.search(name)
        and not _NUMBERED.search(name)
        and not _BY_AXIS.match(name)
    ]


def _named(names: Sequence[str], is_turned: bool) -> dict[str, int]:
    others = _others(names)
    groups = _of_one_array(others[::-1] if is_turned else others)
    return {
        name: 64 * 8 ** min(at, 3) for group in groups for at, name in enumerate(group)
    }


def _of_one_array(names: Sequence[str]) -> list[list[str]]:
    """Return strides by the array that their first word names, where each array has several;
    else all together.
    """
    groups = _by_first_word(names)
    return groups if all(len(each) > 1 for each in groups) else [list(names)]


def _by_first_word(names: Sequence[str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", name)[0], []).append(
            name
        )
    return list(groups.values())


def choose_rounded_size(
    grain: int, choose: ValueChooser, text: str, names: tuple[str, ...], value: int
) -> int:
    """Return what `choose` does in multiples of `grain`, but for what counts few."""
    chosen = choose(text, names, value)
    is_size = chosen >= _ALIGNED_FROM or _STRIDE.search(text) or _OF_GROUP.search(text)
    if is_block_size(names) or not is_size:
        return chosen
    return max(1, -(-chosen // grain)) * grain


def _known_or(
    known: dict[str, int], text: str, _names: tuple[str, ...], value: int
) -> int:
    return known.get(text, value)


def _few_or(
    known: dict[str, int], text: str, names: tuple[str, ...], value: int
) -> int:
    return known.get(text, value if is_block_size(names) else min(value, _FEW))
