"""Variations of an ordinary trial, each with the name of what it varies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import CaseKind
from crawler.validate.inputs.cases.variations import (
    Variation,
    iter_other_sizes,
    iter_same_sizes,
    iter_variations,
)
from crawler.validate.inputs.ordinary.first_trial import build_first_trial
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.settled_trials import TrialResult
from tests.stand_ins.subjects import build_base, build_plain_subject

SUBJECT = build_plain_subject()
BASE = build_base(SUBJECT)


def list_variations(base: TrialResult) -> dict[str, Variation]:
    variations = iter_variations(SUBJECT, base, 0)
    return {variation.name: variation for variation in variations}


def test_each_kind_of_case_is_there() -> None:
    variations = list_variations(BASE)
    kinds = {variation.kind for variation in variations.values()}
    assert kinds == {
        CaseKind.SMALLEST,
        CaseKind.EXTRA,
        CaseKind.RAGGED,
        CaseKind.FEW_BLOCKS,
        CaseKind.MANY_BLOCKS,
        CaseKind.ONE_WARP,
        CaseKind.LARGE,
    }
    assert "hidden" in variations


def test_sizes_are_one_or_odd_or_large() -> None:
    variations = list_variations(BASE)
    sizes = {
        name: variation.trial.configuration.scalars["n"]
        for name, variation in variations.items()
    }
    ordinary = BASE.trial.configuration.scalars["n"]
    assert sizes["smallest"] == 1
    assert sizes["ragged"] % 32
    assert sizes["large"] >= 2 * ordinary


@pytest.mark.parametrize("size", [9, 16, 30, 32, 62, 94, 96, 100, 121, 249, 505, 4089])
def test_a_ragged_size_is_no_multiple_of_a_block_or_a_warp(size: int) -> None:
    ragged = list_variations(build_base_of_size(size))["ragged"]
    assert ragged.kind is CaseKind.RAGGED
    ragged_size = ragged.trial.configuration.scalars["n"]
    assert ragged_size >= size
    # Blocks, warps and vectors of elements are of an even number of threads.
    assert ragged_size % 2 == 1


def build_base_of_size(size: int) -> TrialResult:
    trial = build_first_trial(SUBJECT, lambda _text, _names, _value: size, 0)
    return replace(BASE, trial=trial)


def test_grids_and_blocks_change_alone() -> None:
    variations = list_variations(BASE)
    base = BASE.trial.configuration
    few = variations["few-blocks"].trial.configuration
    many = variations["many-blocks"].trial.configuration
    warp = variations["one-warp"].trial.configuration
    assert few.grid[0] == base.grid[0] // 2
    assert many.grid == (base.grid[0] + 2, 1, 1)
    assert (warp.grid, warp.block) == (base.grid, (32, 1, 1))
    for configuration in (few, many, warp):
        assert configuration.scalars == base.scalars


def test_data_and_indices_meet_their_edges() -> None:
    variations = list_variations(BASE)
    assert "special-values" not in variations
    gaps = variations["gaps"].trial.memory
    assert gaps.patterns[1].filling is Filling.INDICES_WITH_NONE
    wide = variations["wide"].trial.memory
    assert wide.patterns[0].filling is Filling.OUT_OF_RANGE_REALS
    # What is not read holds nothing that could be wrong.
    assert wide.patterns[2] == BASE.trial.memory.patterns[2]


def test_plain_data_becomes_special() -> None:
    memory = BASE.trial.memory.with_pattern(0, FillPattern(Filling.DATA))
    base = replace(BASE, trial=replace(BASE.trial, memory=memory))
    special = list_variations(base)["special-values"].trial
    assert special.memory.patterns[0].filling is Filling.SPECIAL_VALUES
    assert special.seed != base.trial.seed


def test_further_variations_have_other_sizes_then_other_data() -> None:
    other_sizes = list(iter_other_sizes(SUBJECT, BASE.trial, 0))
    assert [variation.name for variation in other_sizes] == [
        "extra-1",
        "extra-2",
        "extra-3",
        "extra-4",
    ]
    sizes = {variation.trial.configuration.scalars["n"] for variation in other_sizes}
    assert len(sizes) == 4

    tiles, *same_sizes = iter_same_sizes(SUBJECT, BASE.trial, 0)
    assert tiles.name == "tiles"
    for variation in same_sizes:
        assert variation.trial.configuration == BASE.trial.configuration
    assert len({variation.trial.seed for variation in same_sizes}) == 4


def test_a_launch_of_one_block_has_a_case_of_several() -> None:
    one_block = list_variations(build_base_of_size(9))
    several = one_block["several-blocks"].trial.configuration
    assert several.grid[0] > 1
    assert several.scalars["n"] > several.block[0]


def test_a_launch_of_several_blocks_has_no_case_of_its_own_for_them() -> None:
    several = build_base_of_size(505)
    assert several.trial.configuration.grid[0] > 1
    assert "several-blocks" not in list_variations(several)
