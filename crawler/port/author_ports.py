"""Find the HIP versions of CUDA kernels that their own authors wrote."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from crawler.model import Dialect, Kernel, Span
from crawler.similarity.signature import estimate_similarity, sign_definitions

AUTHOR_PORT_TAG: Final = "author-port"
"""Of a CUDA kernel whose author has a HIP version of it in the same commit."""
MIN_SIMILARITY_ELSEWHERE: Final = 0.5
"""Estimated Jaccard similarity of two kernels' texts from which they are versions of one kernel,
though their places do not say so.
"""

# the name of a file or a kernel
_WORD_BREAK: Final = re.compile(r"[-_. ]+")
_PLATFORM: Final = re.compile(r"cuda|cu|nvidia|hip|rocm|amd", re.IGNORECASE)
# cudaSort, hipSort, HIPSort
_PLATFORM_PREFIX: Final = re.compile(r"(?:cuda|Cuda|CUDA|hip|Hip|HIP)(?=[A-Z])")
_SUFFIXES: Final = frozenset(
    {"cu", "cuh", "hip", "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl"}
)

_Key = Callable[[Kernel], Hashable]


def attach_author_ports(kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """Return the kernels of one commit, each CUDA kernel with its author's own HIP version.

    A HIP kernel is that version where its name and its place are the same but for the platform's
    name, `src/sort-cuda/main.cu` and `src/sort-hip/main.cu`, and it takes as many parameters; or
    where no other kernel of either dialect has its name and parameters, and the texts are alike.
    What fits more than one kernel is the version of none.
    """
    port_by_kernel: dict[Span, Span] = {}
    for key in (_make_place_key, _make_exact_place_key):
        port_by_kernel |= _pair_unique_kernels(kernels, key, port_by_kernel)

    elsewhere = _pair_unique_kernels(kernels, _make_head_key, port_by_kernel)
    port_by_kernel |= _keep_alike(kernels, elsewhere)
    return tuple(
        _attach_port(kernel, port_by_kernel.get(kernel.span)) for kernel in kernels
    )


def drop_platform(text: str) -> str:
    """Return a name or one part of a path without the words that name a platform.

    `softmax_hip` and `cuda-softmax` are `softmax`, `hipSoftmax` is `Softmax`.
    """
    words = []
    for word in _WORD_BREAK.split(_PLATFORM_PREFIX.sub("", text)):
        if word and not _PLATFORM.fullmatch(word):
            words.append(word)

    return "_".join(words)


def drop_platform_from_path(path: str) -> str:
    """Return a path without what names a platform in its parts, and without the file's suffixes.

    `src/sort-hip/main.hip.cpp` and `src/sort-cuda/main.cu` are `src/sort/main`.
    """
    *folders, name = path.split("/")
    stem, dot, suffix = name.rpartition(".")
    while dot and suffix.lower() in _SUFFIXES:
        name = stem
        stem, dot, suffix = name.rpartition(".")

    parts = [drop_platform(part) for part in (*folders, name)]
    return "/".join(part for part in parts if part)


def _make_place_key(kernel: Kernel) -> Hashable:
    counts = len(kernel.parameters), len(kernel.template_parameters)
    path = drop_platform_from_path(kernel.span.path)
    return path, drop_platform(kernel.name), *counts


def _make_exact_place_key(kernel: Kernel) -> Hashable:
    """Overloads of one file differ in the names of their parameters at least."""
    return drop_platform_from_path(kernel.span.path), _make_head_key(kernel)


def _make_head_key(kernel: Kernel) -> Hashable:
    names = [parameter.name for parameter in kernel.parameters]
    template_count = len(kernel.template_parameters)
    return drop_platform(kernel.name), template_count, tuple(names)


def _pair_unique_kernels(
    kernels: Iterable[Kernel], make_key: _Key, known_pairs: dict[Span, Span]
) -> dict[Span, Span]:
    """Return CUDA kernel to HIP kernel where one of each has a key, without the `known_pairs`."""
    ported = {*known_pairs, *known_pairs.values()}
    groups: dict[Hashable, list[Kernel]] = defaultdict(list)
    for kernel in kernels:
        if kernel.span not in ported:
            groups[make_key(kernel)].append(kernel)

    pairs: dict[Span, Span] = {}
    for group in groups.values():
        spans = {kernel.dialect: kernel.span for kernel in group}
        if len(group) == len(spans) == len(Dialect):
            pairs[spans[Dialect.CUDA]] = spans[Dialect.HIP]

    return pairs


def _keep_alike(kernels: Iterable[Kernel], pairs: dict[Span, Span]) -> dict[Span, Span]:
    """Return the pairs whose texts are alike."""
    kernel_by_span = {kernel.span: kernel for kernel in kernels}
    alike: dict[Span, Span] = {}
    for cuda_span, hip_span in pairs.items():
        if _are_alike(kernel_by_span[cuda_span], kernel_by_span[hip_span]):
            alike[cuda_span] = hip_span

    return alike


def _are_alike(cuda: Kernel, hip: Kernel) -> bool:
    # whatever their names
    texts = [("", cuda.source), ("", hip.source)]
    cuda_signature, hip_signature = sign_definitions(texts)
    similarity = estimate_similarity(cuda_signature.minhash, hip_signature.minhash)
    return similarity >= MIN_SIMILARITY_ELSEWHERE


def _attach_port(kernel: Kernel, port: Span | None) -> Kernel:
    tags = tuple(tag for tag in kernel.tags if tag != AUTHOR_PORT_TAG)
    if port is not None:
        tags = tuple(sorted((*tags, AUTHOR_PORT_TAG)))
    return replace(kernel, author_port=port, tags=tags)
