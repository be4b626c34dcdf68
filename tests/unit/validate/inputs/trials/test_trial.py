"""A trial as a launch of the emulator: its buffers, arguments and pointers."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import replace

from crawler.validate.emulator.launch import Pointer, ThreadOrder
from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.inputs.arguments.argument_layout import ArgumentLayout
from crawler.validate.inputs.arguments.argument_slots import BufferSlot, ScalarSlot
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.trial import (
    Trial,
    derive_seed,
    derive_unit_seed,
    trace_trials,
)
from crawler.validate.inputs.trials.trial_memory import TrialMemory
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.scalar_types import ScalarType
from tests.stand_ins.subjects import build_plain_subject

FLOAT = ElementType("float", 4, ScalarType.FLOAT)
RECORD = ElementType("Row", 16, ScalarType.U64)
DATA = FillPattern(Filling.DATA)
ZEROS = FillPattern(Filling.ZEROS)
# `Row* rows` of which each has a `float*` 8 bytes into it, and an `int n` behind.
LAYOUT = ArgumentLayout(
    argument_sizes=(8, 4),
    buffer_slots=(
        BufferSlot("rows", 0, 0, RECORD, False),
        BufferSlot("rows.data", 0, 8, FLOAT, False, parent_slot=0),
    ),
    scalar_slots=(ScalarSlot("n", 1, 0, ScalarType.I32),),
)
TRIAL = Trial(
    configuration=LaunchConfiguration(
        grid=(2, 1, 1),
        block=(32, 1, 1),
        shared_bytes=64,
        scalars={"n": 3},
        free_variables={},
    ),
    memory=TrialMemory(
        patterns=(ZEROS, DATA),
        elements=(RECORD, FLOAT),
        sizes=(48, 64),
        leading_bytes=(16, 32),
    ),
    seed=5,
)


def test_a_launch_is_what_the_configuration_says() -> None:
    launch = TRIAL.build_launch(LAYOUT, order=ThreadOrder.REVERSE)
    assert (launch.grid, launch.block, launch.shared_bytes) == (
        (2, 1, 1),
        (32, 1, 1),
        64,
    )
    assert launch.order is ThreadOrder.REVERSE
    assert launch.max_seconds == TRIAL.max_seconds
    assert TRIAL.build_launch(LAYOUT, max_seconds=0.5).max_seconds == 0.5


def test_a_buffer_has_room_in_front_of_where_its_pointer_points() -> None:
    rows, data = TRIAL.build_buffers(LAYOUT)
    assert (rows.size, data.size) == (48 + 16, 64 + 32)
    (argument, _) = TRIAL.build_arguments(LAYOUT)
    assert argument.pointers == ((0, Pointer(buffer=0, offset=16)),)


def test_every_element_points_to_the_begin_of_the_same_buffer() -> None:
    rows, data = TRIAL.build_buffers(LAYOUT)
    target = Pointer(buffer=1, offset=32)
    assert rows.pointers == tuple((16 * row + 8, target) for row in range(4))
    assert data.pointers == ()


def test_a_pointer_may_be_null() -> None:
    trial = replace(TRIAL, null_buffers=frozenset({0}))
    (argument, _) = trial.build_arguments(LAYOUT)
    assert argument.pointers == ((0, Pointer()),)


def test_an_override_wins_over_what_the_launch_site_says() -> None:
    trial = replace(TRIAL, scalar_overrides={"n": 7})
    (_, overridden) = trial.build_arguments(LAYOUT)
    (_, original) = TRIAL.build_arguments(LAYOUT)
    assert struct.unpack("<i", overridden.content) == (7,)
    assert struct.unpack("<i", original.content) == (3,)


def test_a_reseeded_buffer_alone_has_other_numbers() -> None:
    memory = replace(TRIAL.memory, patterns=(DATA, DATA), elements=(FLOAT, FLOAT))
    trial = replace(TRIAL, memory=memory)
    reseeded = replace(trial, reseeded_buffers=frozenset({1}))
    before = trial.generate_contents()
    after = reseeded.generate_contents()
    assert before[0] == after[0]
    assert before[1] != after[1]
    # Two buffers of one kind do not hold the same.
    assert before[0][:64] != before[1][:64]


def test_seeds_are_the_same_everywhere_and_differ_by_what_they_are_for() -> None:
    digest = hashlib.sha256(b"1:2").hexdigest()
    assert f"{derive_seed(1, 2):016x}" == digest[:16]
    assert (
        len({derive_seed(seed, index) for seed in range(5) for index in range(5)}) == 25
    )
    assert derive_unit_seed("a", 1) != derive_unit_seed("b", 1)
    # The separator keeps `1`, `12` apart from `11`, `2`.
    assert derive_seed(1, 12) != derive_seed(11, 2)


def test_no_trials_need_no_program() -> None:
    subject = build_plain_subject()
    assert trace_trials(subject.program, subject.layout, []) == ()
