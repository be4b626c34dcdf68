"""A trial with other sizes: what its launch site's variables lead to when they are chosen otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from crawler.validate.evidence.names import is_block_size
from crawler.validate.inputs.plan import Subject
from crawler.validate.inputs.strides import is_stride
from crawler.validate.inputs.trials import Trial, unit_seed, unsized

Grow = Callable[[int], int]


def resized(subject: Subject, base: Trial, grow: Grow, mode: int, seed: int, times: int = 1) -> Trial:
    """Return the base for the `mode`th case, with each size as `grow` makes it and memory of which little is known."""
    known = base.configuration.free

    def choose(text: str, names: tuple[str, ...], value: int) -> int:
        if is_block_size(names):
            return value
        ordinary = known.get(text, value)
        # rows that lay apart do so in smaller cases, too
        return max(ordinary, grow(ordinary)) if is_stride(text) else grow(ordinary)

    return replace(
        base,
        configuration=subject.configured(choose, times, base.configuration.block),
        memory=unsized(base.memory),
        seed=unit_seed(subject.unit.digest, seed * 100 + mode),
        modes=subject.mode(mode),
    )
