"""Which kernels of a commit may be versions of one another: they take the same, and are written
otherwise.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from crawler.model import Kernel
from crawler.similarity.signature import (
    Signature,
    estimate_similarity,
    sign_definitions,
)

MAX_VERSIONS: Final = 3
_MIN_PARAMETERS: Final = 2
_MAX_SIMILARITY: Final = 0.6
"""From this estimated Jaccard similarity of their texts on, one has the other's faults, too."""
_MAX_GROUP: Final = 64
"""Kernels that take the same, of which pairs are looked at."""
_IRRELEVANT: Final = re.compile(
    r"\b(?:const|volatile|__restrict__|__restrict|restrict)\b|\s+"
)
_Form = tuple[str, ...]


def find_versions(kernels: Sequence[Kernel]) -> dict[int, tuple[int, ...]]:
    """Return the positions of at most three versions of each kernel, the most probable first, by
    the kernel's position.
    """
    groups: dict[_Form, list[int]] = defaultdict(list)
    for position, kernel in enumerate(kernels):
        if kernel.unit is not None and len(kernel.parameters) >= _MIN_PARAMETERS:
            groups[_describe_form(kernel)].append(position)

    versions: dict[int, tuple[int, ...]] = {}
    for group in groups.values():
        if 1 < len(group) <= _MAX_GROUP:
            versions |= _pair_group(kernels, group)

    return versions


def _describe_form(kernel: Kernel) -> _Form:
    types = [_IRRELEVANT.sub("", parameter.type) for parameter in kernel.parameters]
    return (kernel.dialect.value, *types)


def _pair_group(
    kernels: Sequence[Kernel], group: Sequence[int]
) -> dict[int, tuple[int, ...]]:
    texts = [(kernels[at].name, kernels[at].source) for at in group]
    signatures = dict(zip(group, sign_definitions(texts), strict=True))

    def rank(own: int, other: int) -> tuple[bool, bool, float, int]:
        names = SequenceMatcher(None, kernels[own].name, kernels[other].name)
        is_same_file = kernels[own].span.path == kernels[other].span.path
        are_same_names = _list_names(kernels[own]) == _list_names(kernels[other])
        return (not are_same_names, not is_same_file, -names.ratio(), other)

    versions: dict[int, tuple[int, ...]] = {}
    for own in group:
        others = [
            other
            for other in group
            if other != own and _is_independent(signatures[own], signatures[other])
        ]
        if others:
            others.sort(key=lambda other: rank(own, other))
            versions[own] = tuple(others[:MAX_VERSIONS])

    return versions


def _list_names(kernel: Kernel) -> list[str]:
    return [parameter.name for parameter in kernel.parameters]


def _is_independent(one: Signature, other: Signature) -> bool:
    return estimate_similarity(one.minhash, other.minhash) < _MAX_SIMILARITY
