"""Sizes that go by the name of a stride are chosen so that no row lies upon another."""

from __future__ import annotations

from crawler.model import Parameter, TemplateParameter
from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.evidence.names import typical_size
from crawler.validate.inputs.sizes.size_choices import (
    choose_excess_blocks,
    generate_size_choices,
    generate_wide_row_choices,
)
from crawler.validate.inputs.sizes.stride_choices import (
    choose_rounded_size,
    find_stride_parameters,
    generate_far_stride_choices,
    generate_stride_choices,
    is_stride_name,
)
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.inputs.trials.trial_memory import TrialMemory


def choose_strides(*names: str) -> list[dict[str, int]]:
    return [
        {name: choose(name, (name,), 6) for name in names}
        for choose in generate_stride_choices(names)
    ]


def test_numbered_strides_grow_by_their_axis() -> None:
    assert choose_strides("n0", "s0", "s1", "s2", "in_stride1", "in_stride2") == [
        {"n0": 6, "s0": 1, "s1": 64, "s2": 512, "in_stride1": 64, "in_stride2": 512}
    ]


def test_named_strides_grow_in_either_order() -> None:
    assert choose_strides("n", "batch_stride", "row_stride") == [
        {"n": 6, "batch_stride": 64, "row_stride": 512},
        {"n": 6, "batch_stride": 512, "row_stride": 64},
    ]


def test_strides_of_a_tensor_grow_from_its_last_axis() -> None:
    names = ("x.stride(0)", "x.stride(1)", "x.stride(-1)", "y_stride2", "x.size(0)")
    dense, loose = choose_strides(*names)
    assert dense == {
        "x.stride(0)": 512,
        "x.stride(1)": 1,
        "x.stride(-1)": 1,
        "y_stride2": 512,
        "x.size(0)": 6,
    }
    assert (loose["x.stride(1)"], loose["x.stride(0)"]) == (512, 4096)
    assert (
        typical_size(("x.stride(0)", "stride0"))
        > typical_size(("x.stride(1)",))
        > typical_size(("x.stride(-1)",))
        == 1
    )


def test_rows_of_a_constant_length_lie_far_apart_and_are_few() -> None:
    names = ["strides.slot", "x.stride(0)", "s1", "rows", "blockDim"]
    many, few = (
        {name: choose(name, (name,), 40) for name in names}
        for choose in generate_far_stride_choices(names)
    )
    assert min(many["strides.slot"], many["x.stride(0)"], many["s1"]) >= 4096
    assert (many["rows"], few["rows"], few["blockDim"]) == (40, 4, 40)
    assert {**many, "rows": 0} == {**few, "rows": 0}
    assert list(map(is_stride_name, names)) == [True, True, True, False, False]
    assert not list(generate_far_stride_choices(["rows"]))
    of_two, _ = (
        {name: choose(name, (name,), 40) for name in ("q_tok_stride", "q_head_stride")}
        for choose in generate_far_stride_choices(["q_tok_stride", "q_head_stride"])
    )
    assert of_two["q_tok_stride"] >= 8 * of_two["q_head_stride"] >= 8 * 4096


def test_what_begins_at_an_offset_lies_behind_all_rows() -> None:
    names = ["in_stride2", "in_stride3", "state_off", "offline"]
    many, _ = (
        {name: choose(name, (name,), 6) for name in names}
        for choose in generate_far_stride_choices(names)
    )
    assert (
        many["state_off"]
        > many["in_stride3"]
        > many["in_stride2"]
        > many["offline"]
        == 6
    )


def test_the_number_that_a_stride_of_a_layout_is_made_of_is_one() -> None:
    assert is_stride_name("tensor_a.layout_.stride_.idx")
    assert is_stride_name("batch_stride_tensor_out")
    assert not is_stride_name("strided_tensor_out")
    assert (
        choose_strides("tensor_a.layout_.stride_.idx")[0][
            "tensor_a.layout_.stride_.idx"
        ]
        >= 64
    )


def test_without_strides_nothing_is_chosen() -> None:
    assert choose_strides("n", "channels", "loss", "nums") == []


def test_strides_of_several_arrays_begin_anew_for_each() -> None:
    first, second = choose_strides(
        "read_batch_stride", "read_row_stride", "write_batch_stride", "write_row_stride"
    )
    assert first == {
        "read_batch_stride": 64,
        "read_row_stride": 512,
        "write_batch_stride": 64,
        "write_row_stride": 512,
    }
    assert second["write_row_stride"] == 64


def test_rows_begin_where_a_wide_access_may() -> None:
    values = {"row_stride": 1, "n": 300, "batch": 2, "blockDim": 100, "cols": 10}
    rounded = {
        name: choose_rounded_size(
            16, lambda _text, _names, value: value, name, (name,), value
        )
        for name, value in values.items()
    }
    assert rounded == {
        "row_stride": 16,
        "n": 304,
        "batch": 2,
        "blockDim": 100,
        "cols": 16,
    }


def test_one_size_after_another_is_made_so_large_that_rows_lie_apart() -> None:
    configuration = LaunchConfiguration(
        grid=(1, 1, 1),
        block=(1, 1, 1),
        shared_bytes=0,
        scalars={},
        free_variables={"C": 8, "H": 2, "threads": 64},
    )
    trial = Trial(
        configuration=configuration,
        memory=TrialMemory(patterns=(), elements=(), sizes=(), leading_bytes=()),
        seed=1,
    )
    choices = [
        {
            name: choose(name, (name,), value)
            for name, value in configuration.free_variables.items()
        }
        for choose in generate_wide_row_choices(trial)
    ]
    assert choices == [
        {"C": 64, "H": 2, "threads": 64},
        {"C": 256, "H": 2, "threads": 64},
        {"C": 8, "H": 64, "threads": 64},
        {"C": 8, "H": 256, "threads": 64},
    ]


def test_more_blocks_are_launched_than_there_is_work() -> None:
    choose = choose_excess_blocks(["size<0>(out)", "blocks"])
    values = {"size<0>(out)": 3, "blocks": 40, "n": 300, "rows": 1, "blockDim": 256}
    assert [choose(name, (name,), value) for name, value in values.items()] == [
        8,
        8,
        2,
        1,
        256,
    ]


def test_sizes_are_tried_in_whole_tiles_too_but_what_counts_few_stays_few() -> None:
    sizes = {"size_k": 5, "size_n": 300, "groups": 2, "groupsize": 2, "blockDim": 100}
    choices = [
        {name: choose(name, (name,), value) for name, value in sizes.items()}
        for choose in generate_size_choices(1024)
    ]
    assert {
        "size_k": 128,
        "size_n": 384,
        "groups": 2,
        "groupsize": 128,
        "blockDim": 100,
    } in choices
    assert {
        "size_k": 1024,
        "size_n": 1024,
        "groups": 2,
        "groupsize": 1024,
        "blockDim": 100,
    } in choices


def test_parameters_whose_type_is_named_so_are_strides() -> None:
    types = {
        "shape": "Shape",
        "a": "AStride",
        "b": "const StrideB",
        "c": "Strided",
        "d": "ConvStrides",
        "e": "TileStride *",
    }
    names = ("Shape", "AStride", "StrideB", "Strided", "TileStride")
    parameters = tuple(
        Parameter(name=name, type=type_) for name, type_ in types.items()
    )
    assert find_stride_parameters(
        parameters, [TemplateParameter(name=name, kind="type") for name in names]
    ) == {"a", "b"}
