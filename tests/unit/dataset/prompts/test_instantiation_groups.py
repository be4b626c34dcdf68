"""Many sets of template arguments are told as the products that they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.dataset.prompts.instantiation_groups import (
    describe_groups,
    group_instantiations,
)

ARGUMENTS = st.lists(
    st.lists(
        st.sampled_from(["float", "int", "4", "true"]), min_size=1, max_size=3
    ).map(tuple),
    max_size=20,
)


@given(ARGUMENTS)
def test_groups_have_each_set_once(lists: list[tuple[str, ...]]) -> None:
    groups = group_instantiations(lists)
    expanded = [arguments for group in groups for arguments in group.expand()]
    assert sorted(expanded) == sorted(set(lists))


def test_a_product_is_told_in_a_few_words() -> None:
    lists = [
        (type_name, reduction, "1")
        for type_name in ("float", "int")
        for reduction in ("SUM", "MAX", "MIN")
    ]
    groups = group_instantiations([*lists, ("half", "SUM", "true")])
    assert describe_groups(groups, ("T", "")) == (
        "each <T, argument 2, 1> with T of: float, int, and argument 2 of: SUM, MAX, MIN; "
        "<half, SUM, true>"
    )


def test_a_few_sets_are_listed() -> None:
    groups = group_instantiations([("float",), ("int",), ("float",)])
    assert describe_groups(groups, ("T",)) == "<float>; <int>"
