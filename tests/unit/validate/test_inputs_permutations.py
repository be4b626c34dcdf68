"""Permutations hold numbers up to their length: it must be that of what is read, in every run of a trial."""

from __future__ import annotations

from crawler.validate.elements import Element
from crawler.validate.evidence.configuration import Configuration
from crawler.validate.inputs.contents import Content, Filling
from crawler.validate.inputs.trials import FIRST_BYTES, MOST_BYTES, Memory, Trial, shortened, with_room
from crawler.validate.numbers import Code

FLOAT, INT = Element("float", 4, Code.FLOAT), Element("int", 4, Code.I32)
INDEXED = (Content(Filling.DATA), Content(Filling.PERMUTATION))


def memory(data: int, indices: int) -> Memory:
    return Memory(contents=INDEXED, elements=(FLOAT, INT), sizes=(data, indices), before=(0, 0))


def test_other_indices_reach_as_far_where_they_are_a_permutation() -> None:
    configuration = Configuration(grid=(1, 1, 1), block=(32, 1, 1), shared_bytes=0, scalars={}, free={})
    roomy = with_room(Trial(configuration=configuration, memory=memory(800, 400), seed=1)).memory
    assert roomy.sizes[0] > 2 * 800
    assert roomy.sizes[1] == 400


def test_a_permutation_that_is_longer_than_it_is_read_is_cut_before_anything_is_too_large() -> None:
    needed = memory(2 * MOST_BYTES, 400)
    assert shortened(memory(FIRST_BYTES, FIRST_BYTES), needed) == memory(FIRST_BYTES, 400)
    assert shortened(memory(FIRST_BYTES, 400), needed) is None
