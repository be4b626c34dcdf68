"""What a kernel's text and signature say of its launches."""

from __future__ import annotations

from dataclasses import replace

from tests.stand_ins.subjects import build_plain_subject


def test_scalars_that_switch_modes_have_the_values_they_are_compared_with() -> None:
    subject = build_plain_subject()
    # What it is compared with, and one that it is not; both of a flag.
    assert subject.mode_values == {"mode": (2, 5, 6), "is_causal": (1, 0)}


def test_thresholds_are_tried_on_both_sides() -> None:
    assert build_plain_subject().threshold_values == {"window": (7, 8, 6)}


def test_elements_that_are_compared_and_pointers_that_may_be_null_are_known() -> None:
    subject = build_plain_subject()
    assert 3 in subject.compared_elements
    assert subject.nullable_buffers == (0,)


def test_modes_take_turns_over_the_cases() -> None:
    subject = build_plain_subject()
    assert subject.select_mode_values(0) == {"mode": 2, "is_causal": 1}
    assert subject.select_mode_values(1) == {"mode": 5, "is_causal": 0}
    later_modes = [subject.select_mode_values(number) for number in range(2, 30)]
    assert {modes["mode"] for modes in later_modes} == {2, 5, 6}
    assert later_modes == [
        subject.select_mode_values(number) for number in range(2, 30)
    ]


def test_the_launch_site_says_how_many_blocks_there_are() -> None:
    subject = build_plain_subject()
    configuration = subject.choose_configuration(lambda _text, _names, _value: 200)
    assert (configuration.grid, configuration.block) == ((4, 1, 1), (64, 1, 1))
    assert configuration.scalars["n"] == 200


def test_sizes_may_have_to_be_multiples() -> None:
    subject = replace(build_plain_subject(), size_multiple=16)
    configuration = subject.choose_configuration(lambda _text, _names, _value: 200)
    assert configuration.scalars["n"] == 208


def test_a_grid_has_no_more_threads_than_are_traced() -> None:
    subject = replace(build_plain_subject(), max_threads=128)

    def choose(_text: str, _names: tuple[str, ...], _value: int) -> int:
        return 100_000

    assert subject.choose_configuration(choose).thread_count <= 128
    larger = subject.choose_configuration(choose, thread_factor=4).thread_count
    assert 128 < larger <= 512
