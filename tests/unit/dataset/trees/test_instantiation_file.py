"""The file of an instantiation tells of its own launches and runs, and of no other's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crawler.codec import decode
from crawler.dataset.rows.row import to_row
from crawler.dataset.texts.flatten import flatten_kernel
from crawler.dataset.trees.instantiation_file import (
    InstantiationFile,
    describe_instantiation,
    find_own_launches,
)
from crawler.model import Instantiation, KernelRecord, Launch, Layer, Span

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
SUM = next(record for record in RECORDS if record.kernel.name == "block_sum")
FLOAT = Instantiation(arguments=("float",), label="float")
DOUBLE = Instantiation(arguments=("double",), label="double")
SPAN = Span(path="a.cu", line=1, end_line=1, offset=0, end_offset=1)


def launch_with(*arguments: tuple[str, ...]) -> Launch:
    return Launch(
        span=SPAN,
        kernel_name="k",
        grid="1",
        block="1",
        found_by=Layer.AST,
        template_arguments=arguments,
    )


def test_launches_of_other_instantiations_are_left_out() -> None:
    of_float = launch_with(("float",))
    of_both = launch_with(("float",), ("double",))
    unknown = launch_with()
    launches = (of_float, of_both, unknown)
    assert find_own_launches(FLOAT, launches) == (0, 1, 2)
    assert find_own_launches(DOUBLE, launches) == (1, 2)


def test_all_launches_count_where_none_is_of_the_instantiation() -> None:
    assert find_own_launches(DOUBLE, [launch_with(("float",))]) == (0,)


def describe(record: KernelRecord, instantiation: Instantiation) -> InstantiationFile:
    flat = flatten_kernel(record.kernel, instantiation)
    return describe_instantiation(
        record, to_row(record), instantiation, flat, "../k.json", (), ("tests/k.cu",)
    )


def test_one_that_the_unit_leaves_out_says_so() -> None:
    kernel = SUM.kernel
    assert kernel.unit
    first, second = kernel.instantiations[:2]
    unit = replace(kernel.unit, instantiations=(first,))
    record = replace(SUM, kernel=replace(kernel, unit=unit))
    assert describe(record, first).is_in_unit
    assert not describe(record, second).is_in_unit


def test_one_that_was_not_run_has_no_tests() -> None:
    description = describe(SUM, SUM.kernel.instantiations[0])
    assert (description.runs, description.test_files) == ((), ())
