"""Choices of strides that keep rows from overlapping, recognised by the names of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from crawler.conventions.table import NameKind, compile_names
from crawler.model import Parameter, TemplateParameter
from crawler.validate.evidence.launch_configuration import ValueChooser
from crawler.validate.evidence.names import is_block_size

# A free variable is a piece of host code, such as `x.stride(0)`, `lda` (BLAS)
# or `params.q_batch_stride` (flash-attention).
_NUMBERED: Final = compile_names(NameKind.NUMBERED_STRIDE)
"""Strides by the number of their axis, the first being the innermost."""
_TENSOR_STRIDE: Final = compile_names(NameKind.OWNED_TENSOR_STRIDE)
"""Strides of a tensor by the number of their axis, the first being the outermost."""
_NAMED: Final = compile_names(NameKind.STRIDE)
_STRIDE_TYPE: Final = compile_names(NameKind.STRIDE_TYPE)
_OFFSET: Final = compile_names(NameKind.OFFSET)
"""Where the second of two arrays in one buffer begins."""
_GROUP_SIZE: Final = compile_names(NameKind.GROUP_LENGTH)
"""Counts elements, however few they are."""

ALIGNMENT_ELEMENTS: Final = 16
"""Elements: with as many, rows of the smallest types begin where the widest access may."""
_MIN_ROUNDED_SIZE: Final = 5
"""What is less counts batches, groups and the like."""
_AXIS_FACTOR: Final = 8
_NEAREST_ROW: Final = 64
_FAR_SCALE: Final = 64
"""Times as far apart as usual, for rows whose length is a constant of the kernel."""
_FAR_STRIDE: Final = 1 << 15
_NEAREST_FAR_STRIDE: Final = 1 << 12
_FARTHEST_STRIDE: Final = 1 << 19
_FEW_ROWS: Final = 4


def generate_stride_choices(names: Sequence[str]) -> Iterator[ValueChooser]:
    """Yield ways to choose what goes by the name of a stride, so that no row overlaps another.

    The order of named strides does not say which is the outermost: both directions are tried.
    """
    yielded_strides: list[dict[str, int]] = []
    for is_reversed in (False, True):
        strides = {
            **_numbered_strides(names, 1),
            **_tensor_strides(names, 1, is_dense=not is_reversed),
            **_named_strides(names, is_reversed=is_reversed),
        }

        if strides and strides not in yielded_strides:
            yielded_strides.append(strides)
            yield partial(_choose_stride, strides)


def generate_far_stride_choices(names: Sequence[str]) -> Iterator[ValueChooser]:
    """Yield ways to choose strides for rows whose length is a constant of the kernel.

    All rows are far apart; then there are few of them, too. What begins at an offset lies
    behind all others.
    """
    strides = {
        **_numbered_strides(names, _FAR_SCALE),
        **_tensor_strides(names, _FAR_SCALE, is_dense=False),
        **_far_named_strides(names),
    }

    for name in names:
        if _OFFSET.search(name):
            strides[name] = _FARTHEST_STRIDE

    if strides:
        yield partial(_choose_stride, strides)
        yield partial(_choose_stride_of_few_rows, strides)


def is_stride_name(variable: str) -> bool:
    """Tell whether a free variable is how far apart rows lie, by its name."""
    patterns = (_NUMBERED, _TENSOR_STRIDE, _NAMED)
    return any(pattern.search(variable) for pattern in patterns)


def find_stride_parameters(
    parameters: Sequence[Parameter], template_parameters: Sequence[TemplateParameter]
) -> frozenset[str]:
    """Return the parameters whose type is a template parameter named as strides are.

    E.g. `dA` of `template <class TA, class AStride> void gemm(TA const* A, AStride dA)`.
    """
    # The type is a template parameter, so that it says nothing else.
    stride_types = {
        template_parameter.name
        for template_parameter in template_parameters
        if _STRIDE_TYPE.search(template_parameter.name)
    }

    return frozenset(
        parameter.name
        for parameter in parameters
        if parameter.type.removeprefix("const ").strip() in stride_types
    )


def choose_rounded_size(
    grain: int, choose: ValueChooser, text: str, names: tuple[str, ...], value: int
) -> int:
    """Return what `choose` does in multiples of `grain`, but for what counts few."""
    size = choose(text, names, value)
    # A block is launched as it is: rounding would change the launch and not the data.
    if is_block_size(names):
        return size

    is_rounded = (
        size >= _MIN_ROUNDED_SIZE
        or _NAMED.search(text) is not None
        or _GROUP_SIZE.search(text) is not None
    )

    if not is_rounded:
        return size

    return max(1, -(-size // grain)) * grain


def _numbered_strides(names: Sequence[str], scale: int) -> dict[str, int]:
    strides: dict[str, int] = {}
    for name in names:
        number = _NUMBERED.search(name)
        if number is None:
            continue

        axis = int(number[1])
        strides[name] = _AXIS_FACTOR ** (axis + 1) * scale if axis else 1

    return strides


def _tensor_strides(
    names: Sequence[str], scale: int, *, is_dense: bool
) -> dict[str, int]:
    """Return strides of tensors, such as `x.stride(0)`.

    In a dense tensor the last axis that is asked for is the innermost, and has stride 1; so
    has axis -1 in any.
    """
    axes_of_tensors: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        stride = _TENSOR_STRIDE.match(name)
        if stride:
            axes = axes_of_tensors.setdefault(stride[1], [])
            axes.append((int(stride[2]), name))

    strides: dict[str, int] = {}
    for axes in axes_of_tensors.values():
        strides.update(_strides_of_axes(axes, scale, is_dense=is_dense))

    return strides


def _strides_of_axes(
    axes: Sequence[tuple[int, str]], scale: int, *, is_dense: bool
) -> dict[str, int]:
    """Return the strides of one tensor, of which (axis, name) are asked for."""
    # Axis -1 is the innermost by definition; the others are sorted from the last one on.
    strides = {name: 1 for axis, name in axes if axis == -1}
    inner_first = [name for axis, name in sorted(axes, reverse=True) if axis >= 0]
    if is_dense and len(inner_first) > 1:
        strides[inner_first.pop(0)] = 1

    stride = _AXIS_FACTOR**3 * scale
    for name in inner_first:
        strides[name] = stride
        stride *= _AXIS_FACTOR

    return strides


def _far_named_strides(names: Sequence[str]) -> dict[str, int]:
    """Return far strides by name.

    Of an array with several strides the first is the farthest; those of a structure are alike.
    """
    stride_names = _list_named_strides(names)
    strides = dict.fromkeys(stride_names, _FAR_STRIDE)

    # The strides of one structure, e.g. `strides.slot`, have no order that is known.
    plain_names = [name for name in stride_names if "." not in name]
    for group in _group_by_first_word(plain_names):
        if len(group) < 2:
            continue

        for position, name in enumerate(reversed(group)):
            stride = _NEAREST_FAR_STRIDE * _AXIS_FACTOR**position
            strides[name] = min(stride, _FARTHEST_STRIDE)

    return strides


def _named_strides(names: Sequence[str], *, is_reversed: bool) -> dict[str, int]:
    stride_names = _list_named_strides(names)
    if is_reversed:
        stride_names.reverse()

    strides: dict[str, int] = {}
    for group in _group_by_array(stride_names):
        for position, name in enumerate(group):
            strides[name] = _NEAREST_ROW * _AXIS_FACTOR ** min(position, 3)

    return strides


def _list_named_strides(names: Sequence[str]) -> list[str]:
    """Return the strides that have no number of an axis."""
    return [
        name
        for name in names
        if _NAMED.search(name)
        and not _NUMBERED.search(name)
        and not _TENSOR_STRIDE.match(name)
    ]


def _group_by_array(names: Sequence[str]) -> list[list[str]]:
    """Return strides by the array that their first word names, where each array has several.

    Else they are one group: `batch_stride` and `row_stride` are of the same array.
    """
    groups = _group_by_first_word(names)
    if all(len(group) > 1 for group in groups):
        return groups

    return [list(names)]


def _group_by_first_word(names: Sequence[str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        words = re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", name)
        groups.setdefault(words[0], []).append(name)

    return list(groups.values())


def _choose_stride(
    strides: dict[str, int], text: str, _names: tuple[str, ...], value: int
) -> int:
    return strides.get(text, value)


def _choose_stride_of_few_rows(
    strides: dict[str, int], text: str, names: tuple[str, ...], value: int
) -> int:
    size = value if is_block_size(names) else min(value, _FEW_ROWS)
    return strides.get(text, size)
