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
# the type of one parameter, of which versions of a kernel differ in these
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
    members = [kernels[position] for position in group]
    texts = [(kernel.name, kernel.source) for kernel in members]
    signatures = sign_definitions(texts)

    versions: dict[int, tuple[int, ...]] = {}
    for own, kernel in enumerate(members):
        independent = [
            member
            for member, signature in enumerate(signatures)
            if member != own and _is_independent(signatures[own], signature)
        ]
        # sorting is stable: of equally probable ones the first in the commit comes first
        independent.sort(key=lambda member: _rank(kernel, members[member]))
        if independent:
            nearest = independent[:MAX_VERSIONS]
            versions[group[own]] = tuple(group[member] for member in nearest)

    return versions


def _rank(kernel: Kernel, version: Kernel) -> tuple[bool, bool, float]:
    """Return how improbable it is that two kernels are versions of one another."""
    names = SequenceMatcher(None, kernel.name, version.name)
    is_same_file = kernel.span.path == version.span.path
    are_same_names = _list_names(kernel) == _list_names(version)
    return (not are_same_names, not is_same_file, -names.ratio())


def _list_names(kernel: Kernel) -> list[str]:
    return [parameter.name for parameter in kernel.parameters]


def _is_independent(signature: Signature, other: Signature) -> bool:
    similarity = estimate_similarity(signature.minhash, other.minhash)
    return similarity < _MAX_SIMILARITY
