"""Ways to choose sizes."""

from __future__ import annotations

from collections.abc import Iterable

from crawler.validate.evidence.launch_configuration import (
    LaunchConfiguration,
    ValueChooser,
)
from crawler.validate.inputs.sizes.size_choices import (
    choose_usual_size,
    generate_flat_grid_choices,
    generate_larger_choices,
    generate_nudged_choices,
    generate_size_choices,
    generate_small_choices,
)
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.inputs.trials.trial_memory import TrialMemory


def test_a_grid_of_several_variables_is_tried_with_one_axis_and_with_none() -> None:
    ways = list(
        generate_flat_grid_choices(
            ("gdx", "gdy", "gdz"),
            [choose_usual_size, lambda _text, _names, value: 2 * value],
        )
    )
    assert [
        [way(name, (name,), 6) for name in ("gdx", "gdy", "gdz", "n")] for way in ways
    ] == [
        [6, 1, 1, 6],
        [12, 1, 1, 12],
        [1, 1, 1, 6],
        [1, 1, 1, 12],
    ]
    assert list(generate_flat_grid_choices(("blocks",), [choose_usual_size])) == []


def build_trial(**free_variables: int) -> Trial:
    configuration = LaunchConfiguration(
        grid=(1, 1, 1),
        block=(1, 1, 1),
        shared_bytes=0,
        scalars={},
        free_variables=free_variables,
    )
    memory = TrialMemory(patterns=(), elements=(), sizes=(), leading_bytes=())
    return Trial(configuration=configuration, memory=memory, seed=1)


def apply_choices(
    choices: Iterable[ValueChooser], sizes: dict[str, int]
) -> list[list[int]]:
    return [
        [choose(name, (name,), size) for name, size in sizes.items()]
        for choose in choices
    ]


def test_sizes_are_powers_of_two_then_alike() -> None:
    sizes = {"x.size(0)": 5, "n": 300, "flag": 1, "empty": 0}
    powers, alike, *_ = apply_choices(generate_size_choices(64), sizes)
    assert powers == [8, 512, 1, 0]
    assert alike == [12, 12, 1, 0]


def test_a_block_that_is_no_tile_is_not_rounded_to() -> None:
    assert len(list(generate_size_choices(64))) == 4
    assert len(list(generate_size_choices(256))) == 4
    assert len(list(generate_size_choices(512))) == 5


def test_little_work_is_four_of_everything_then_one() -> None:
    sizes = {"n": 300, "c": 2, "flag": 1, "empty": 0}
    few, single = apply_choices(generate_small_choices(), sizes)
    assert few == [4, 2, 1, 0]
    assert single == [1, 1, 1, 0]


def test_one_size_is_none_or_large_while_all_others_are_small() -> None:
    sizes = {"n": 300, "row_stride": 6, "threads": 128}
    choices = generate_larger_choices(build_trial(**sizes))
    empty, large, *_ = apply_choices(choices, sizes)
    assert (empty[0], large[0]) == (0, 256)
    # Rows stay apart, and the block is what it was.
    assert empty[1:] == large[1:] == [64, 128]


def test_each_size_is_nudged_to_another_value_alone() -> None:
    sizes = {"n": 32, "m": 8}
    _, _, *nudged = apply_choices(generate_nudged_choices(build_trial(**sizes)), sizes)
    assert nudged == [[1, 8], [4, 8], [32, 1], [32, 4], [32, 32]]
