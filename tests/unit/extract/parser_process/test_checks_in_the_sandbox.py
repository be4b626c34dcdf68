"""What is checked of units in the parser's process is judged as outside of its sandbox."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from crawler.extract.link import link_kernels
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.model import Dialect

_SOURCE = """
template <class T> __device__ T twice(T x) { return x + x; }
template <class T> __global__ void scale(T* out) { out[threadIdx.x] = twice(out[threadIdx.x]); }
__global__ void plain(float* out) { out[0] = nobody_declares_this(); }
"""


@pytest.mark.apt("bwrap", "clang-19")
@pytest.mark.parametrize("dialect", Dialect)
def test_units_are_compiled_for_their_device(
    project: Callable[..., Any], dialect: Dialect
) -> None:
    planted = project({"k.cu": _SOURCE})
    commands = [replace(command, dialect=dialect) for command in planted.commands]
    facts = tuple(extract_batch_facts(planted.root, commands))
    scale, plain = link_kernels(facts)
    # no source says of what type it is: what is made up must compile
    assert ("float",) in {made.arguments for made in scale.instantiations}
    assert plain.unit is not None
    assert all("nobody_declares_this" in attempt for attempt in plain.unit.attempts)
