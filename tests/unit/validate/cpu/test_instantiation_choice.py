"""Which instantiation of a kernel is run, and which ones where that comes to nothing."""

from __future__ import annotations

from crawler.model import Instantiation, Parameter
from crawler.validate.cpu.entry_validation import accepts_argument_count
from crawler.validate.cpu.instantiation_choice import (
    choose_instantiations,
    choose_other_types,
    choose_representative,
    iter_unlike,
)


def build_instantiations(*arguments: tuple[str, ...]) -> list[Instantiation]:
    return [
        Instantiation(arguments=types, label="_".join(types)) for types in arguments
    ]


TYPES = ("float", "double", "int", "long", "short")
REDUCTIONS = ("SUM", "MEAN", "MUL", "DIV", "MIN", "MAX")


def test_others_of_the_same_type_are_tried_after_the_one_that_stands_for_all() -> None:
    instantiations = build_instantiations(
        ("__half", "true"),
        ("float", "true"),
        ("__half", "false"),
        ("float", "false"),
        ("double", "true"),
    )
    assert choose_representative(instantiations) == 1
    assert choose_instantiations(instantiations) == (1, 3)


def test_few_are_tried() -> None:
    instantiations = build_instantiations(("4",), ("8",), ("16",), ("32",))
    assert choose_instantiations(instantiations) == (0, 1, 2)
    assert choose_instantiations([]) == (0,)


def test_a_flag_that_no_device_here_may_have_is_tried_the_other_way_round() -> None:
    instantiations = build_instantiations(
        ("3", "true"), ("1", "true"), ("0", "true"), ("3", "false"), ("1", "false")
    )
    assert choose_instantiations(instantiations) == (0, 4, 2)


def test_a_pack_of_parameters_is_any_number_of_them() -> None:
    plain, pack = (
        Parameter(name="n", type="int"),
        Parameter(name="args", type="Args..."),
    )
    assert accepts_argument_count([plain, pack], 1)
    assert accepts_argument_count([plain, pack], 4)
    assert not accepts_argument_count([plain, pack], 0)
    assert accepts_argument_count([plain, plain], 2)
    assert not accepts_argument_count([plain, plain], 3)
    assert accepts_argument_count([], 5)


def test_of_other_types_are_those_that_name_what_the_first_ones_do_not() -> None:
    instantiations = build_instantiations(
        ("float", "float", "0"),
        ("short", "short", "0"),
        ("float", "char", "1"),
        ("float", "float", "0"),
    )
    assert choose_instantiations(instantiations) == (0, 3)
    assert choose_other_types(instantiations) == (2, 1)
    assert choose_other_types(instantiations[:1]) == ()
    assert choose_other_types([]) == ()


def test_each_reduction_is_met_once_before_any_is_met_twice() -> None:
    instantiations = build_instantiations(
        *((scalar, reduction) for scalar in TYPES for reduction in REDUCTIONS)
    )
    first = instantiations.index(build_instantiations(("float", "SUM"))[0])
    order = [first, *iter_unlike(instantiations, [first])]

    first_runs = [instantiations[number].arguments for number in order[:6]]
    assert {reduction for _, reduction in first_runs} == set(REDUCTIONS)
    assert {scalar for scalar, _ in first_runs} == set(TYPES)
    assert sorted(order) == list(range(len(instantiations)))


def test_the_same_word_in_another_place_is_another_argument() -> None:
    instantiations = build_instantiations(
        ("true", "true"), ("true", "true"), ("false", "true"), ("true", "false")
    )
    assert list(iter_unlike(instantiations, [0])) == [2, 3, 1]


def test_pairs_that_nobody_met_come_before_those_that_somebody_did() -> None:
    instantiations = build_instantiations(
        ("a", "x"), ("b", "y"), ("a", "x"), ("a", "y"), ("b", "x")
    )
    assert list(iter_unlike(instantiations, [0])) == [1, 3, 4, 2]


def test_a_kernel_that_is_no_template_has_no_other() -> None:
    assert list(iter_unlike(build_instantiations(()), [0])) == []
    assert list(iter_unlike([], [])) == []
