"""What the runs of a case in other orders, widths and roundings say of its kernel."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.model import Behaviour, BufferRole, CaseKind
from crawler.validate.emulator.execution_report import (
    BufferAccess,
    Execution,
    Outcome,
)
from crawler.validate.inputs.trials.problems import OVERWRITE
from crawler.validate.values.blobs import Blobs
from tests.stand_ins.case_runs import (
    ATOMIC,
    COUNT,
    GOLD,
    MATH_SUBJECT,
    OUT,
    READ,
    SIZE,
    SUBJECT,
    WRITTEN,
    fail_with,
    floats,
    judge,
    make_draft,
    run_with,
)


def test_what_is_the_same_in_every_order_is_deterministic_and_has_gold() -> None:
    blobs = Blobs()
    golden_case = judge(blobs=blobs, other_orders=(run_with(), run_with()))
    assert (golden_case.behaviour, golden_case.code) == (Behaviour.DETERMINISTIC, "")
    assert not golden_case.depends_on_warp_size

    out = golden_case.case.buffers[OUT]
    assert out.role is BufferRole.OUT
    assert blobs.get(out.gold) == floats(GOLD)
    assert out.written == (0, SIZE)
    assert (out.absolute, out.relative) == (0, 0), "nothing in it is ever rounded"


def test_what_is_only_read_has_content_and_no_gold() -> None:
    blobs = Blobs()
    golden_case = judge(blobs=blobs)
    contents = make_draft().result.trial.generate_contents()
    for number in (0, 1):
        buffer = golden_case.case.buffers[number]
        assert buffer.role is BufferRole.IN
        assert blobs.get(buffer.content) == contents[number]
        assert (buffer.gold, buffer.written) == ("", (0, 0))
    assert golden_case.case.buffers[OUT].content == "", "it is no input"


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize(
    ("execution", "behaviour", "code"),
    [
        (fail_with("trap"), Behaviour.UNDEFINED, "trap"),
        (fail_with("timeout", Outcome.TIMEOUT), Behaviour.TIMEOUT, "timeout"),
        (Execution(outcome=Outcome.KILLED), Behaviour.UNDEFINED, "killed"),
        # a run that ends well may have left its memory all the same
        (
            fail_with("out-of-bounds", Outcome.DONE),
            Behaviour.UNDEFINED,
            "out-of-bounds",
        ),
    ],
)
def test_without_results_in_every_order_there_is_no_gold(
    order: int, execution: Execution, behaviour: Behaviour, code: str
) -> None:
    orders = [run_with(), run_with()]
    orders[order] = execution
    for runs in ({"other_orders": tuple(orders)}, {"golden": execution}):
        golden_case = judge(**runs)
        assert (golden_case.behaviour, golden_case.code) == (behaviour, code)
        assert not any(buffer.gold for buffer in golden_case.case.buffers)


def test_a_finding_that_ends_nothing_is_no_failure() -> None:
    golden_case = judge(other_orders=(fail_with("race", Outcome.DONE),))
    assert golden_case.behaviour is Behaviour.DETERMINISTIC


def test_an_order_that_matters_without_atomics_is_a_race() -> None:
    golden_case = judge(other_orders=(run_with((1.0, 2.0, 3.0, 100.0001)),))
    assert (golden_case.behaviour, golden_case.code) == (Behaviour.RACY, "race")


def test_rounding_of_atomic_sums_is_measured_and_allowed() -> None:
    draft = make_draft(READ, READ, ATOMIC)
    golden_case = judge(
        draft, other_orders=(run_with(), run_with((1.0, 2.0, 3.0, 100.5)))
    )
    assert golden_case.behaviour is Behaviour.ATOMIC_NONDETERMINISTIC
    assert golden_case.code == ""
    out = golden_case.case.buffers[OUT]
    assert out.gold
    assert 0.5 < out.absolute <= 4 * 0.5 + 0.01


def test_atomics_whose_order_matters_by_more_than_rounding_have_no_gold() -> None:
    draft = make_draft(READ, READ, ATOMIC)
    golden_case = judge(draft, other_orders=(run_with((9.0, 2.0, 3.0, 100.0)),))
    assert (golden_case.behaviour, golden_case.code) == (
        Behaviour.RACY,
        "order-dependent",
    )
    assert golden_case.case.buffers[OUT].gold == ""


def test_threads_that_overwrite_each_other_race_with_atomics_too() -> None:
    draft = make_draft(READ, READ, ATOMIC, problems=(OVERWRITE,))
    golden_case = judge(draft, other_orders=(run_with((1.0, 2.0, 3.0, 100.5)),))
    assert (golden_case.behaviour, golden_case.code) == (Behaviour.RACY, "race")


def test_an_output_that_no_order_changes_is_compared_beside_one_that_is_not() -> None:
    draft = make_draft(READ, ATOMIC, ATOMIC)
    golden_case = judge(draft, other_orders=(run_with(index=(3, 2, 1, 0)),))
    assert golden_case.behaviour is Behaviour.ATOMIC_NONDETERMINISTIC
    assert golden_case.code == "order-dependent-buffer"
    assert golden_case.case.buffers[1].gold == "", "whole numbers have no noise"
    assert golden_case.case.buffers[OUT].gold


@given(st.floats(0, 1), st.sampled_from([WRITTEN, ATOMIC]))
def test_only_what_is_compared_can_be_called_deterministic_or_noisy(
    distance: float, access: BufferAccess
) -> None:
    value = GOLD[-1] * (1 + distance)
    other = run_with((*GOLD[:-1], value))
    golden_case = judge(make_draft(READ, READ, access), other_orders=(other,))
    has_gold = bool(golden_case.case.buffers[OUT].gold)
    is_same = other.buffers == run_with().buffers
    assert (golden_case.behaviour is Behaviour.DETERMINISTIC) == is_same
    if golden_case.behaviour is Behaviour.ATOMIC_NONDETERMINISTIC:
        assert has_gold
        assert abs(value - GOLD[-1]) <= 1.001 * golden_case.case.buffers[OUT].absolute
    if golden_case.code == "order-dependent":
        assert not has_gold


def test_fused_operations_widen_what_is_right_and_change_no_behaviour() -> None:
    golden_case = judge(contracted=run_with((1.0, 2.0, 3.0, 100.25)))
    assert golden_case.behaviour is Behaviour.DETERMINISTIC
    out = golden_case.case.buffers[OUT]
    assert out.absolute >= 0.25
    assert out.relative > 0


def test_fused_operations_that_fail_say_nothing() -> None:
    golden_case = judge(contracted=fail_with("trap"))
    assert golden_case.behaviour is Behaviour.DETERMINISTIC
    assert golden_case.case.buffers[OUT].absolute == 0


def test_a_function_of_mathematics_is_never_exact() -> None:
    out = judge(subject=MATH_SUBJECT).case.buffers[OUT]
    assert out.absolute > 0
    assert out.relative > 0


def test_what_rounding_loses_is_measured_where_anything_is_rounded() -> None:
    precise = run_with((1.0, 2.0, 3.0, 100.75))
    exact = judge(double_precision=precise).case.buffers[OUT]
    assert exact.absolute == 0
    rounded = judge(subject=MATH_SUBJECT, double_precision=precise).case.buffers[OUT]
    assert rounded.absolute == pytest.approx(4 * 0.75)


def test_where_rounding_decided_otherwise_it_says_nothing_of_the_rest() -> None:
    # 1 became 50: a comparison went another way, which is no loss of bits
    precise = run_with((50.0, 2.0, 3.0, 100.5))
    out = judge(subject=MATH_SUBJECT, double_precision=precise).case.buffers[OUT]
    assert out.absolute == pytest.approx(4 * 0.5)
    assert out.gold


@pytest.mark.parametrize(
    ("wide_warps", "expected"),
    [
        (None, False),
        (run_with(), False),
        (run_with((1.0, 2.0, 3.0, 100.5)), False),
        (run_with((1.0, 2.0, 3.0, 50.0)), True),
        (run_with((float("nan"), 2.0, 3.0, 100.0)), True),
        (fail_with("divergent-barrier"), False),
    ],
)
def test_other_results_with_wide_warps_are_noted(
    wide_warps: Execution | None, expected: bool
) -> None:
    golden_case = judge(wide_warps=wide_warps)
    assert golden_case.depends_on_warp_size is expected
    assert golden_case.behaviour is Behaviour.DETERMINISTIC


def test_outputs_that_no_input_changes_tell_nothing() -> None:
    constant = run_with((7.0,) * COUNT)
    other = (constant, constant)
    assert judge(golden=constant, other_inputs=other).is_trivial
    # other inputs gave others: they are known to matter, and one value is too few still
    assert judge(golden=constant, other_inputs=(run_with(), run_with())).is_trivial is (
        False
    )


def test_varied_outputs_are_enough_where_inputs_are_known_to_matter() -> None:
    same = (run_with(), run_with())
    assert not judge(make_draft(is_informative=True), other_inputs=same).is_trivial
    assert judge(make_draft(is_informative=False), other_inputs=same).is_trivial


def test_what_stood_there_before_is_told_from_what_was_written() -> None:
    blobs = Blobs()
    filled = run_with((1.0, 2.0, 5.5, 100.0))
    out = judge(blobs=blobs, other_fill=filled).case.buffers[OUT]
    assert blobs.get(out.gold_filled) == floats((1.0, 2.0, 5.5, 100.0))
    assert judge(other_fill=run_with()).case.buffers[OUT].gold_filled == ""
    assert judge(other_fill=fail_with("trap")).case.buffers[OUT].gold_filled == ""


def test_a_range_that_was_traced_beyond_a_buffer_ends_with_it() -> None:
    wider = replace(WRITTEN, written_range=(-8, SIZE + 64))
    out = judge(make_draft(READ, READ, wider)).case.buffers[OUT]
    assert out.written == (0, SIZE)


def test_a_case_launches_as_its_trial_did() -> None:
    draft = make_draft()
    case = judge(draft).case
    configuration = draft.result.trial.configuration
    assert (case.grid, case.block) == (configuration.grid, configuration.block)
    assert (case.name, case.kind, case.hidden) == ("ordinary", CaseKind.ORDINARY, False)

    names = [argument.name for argument in case.arguments]
    assert names == [parameter.name for parameter in SUBJECT.kernel.parameters]
    pointed = {
        argument.name: [pointer.buffer for pointer in argument.pointers]
        for argument in case.arguments
        if argument.pointers
    }
    assert pointed == {"a": [0], "index": [1], "out": [2]}
    n = case.arguments[names.index("n")]
    assert (
        int.from_bytes(bytes.fromhex(n.content), "little")
        == (configuration.scalars["n"])
    )
