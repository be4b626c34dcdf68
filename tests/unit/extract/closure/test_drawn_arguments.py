"""Of many instantiations some are drawn, and with them each type."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.closure.drawn_arguments import draw_arguments
from crawler.model import Instantiation


def draw(*made: tuple[str, ...]) -> list[tuple[str, ...]]:
    instantiations = [
        Instantiation(arguments=arguments, label=str(number))
        for number, arguments in enumerate(made)
    ]
    return draw_arguments(instantiations)


def test_few_are_all_drawn_and_a_plain_kernel_has_none() -> None:
    assert draw(("float",), ("double",)) == [("float",), ("double",)]
    assert draw(()) == []


def test_a_type_that_one_of_many_has_is_drawn() -> None:
    made = [("int", str(number)) for number in range(100)]
    made.insert(37, ("half", "3"))

    assert ("half", "3") in draw(*made)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["int", "half", "bool"]), st.integers(0, 99).map(str)
        ),
        unique=True,
        max_size=200,
    )
)
def test_not_too_many_are_drawn_and_every_type(made: list[tuple[str, str]]) -> None:
    drawn = draw(*made)

    assert len(drawn) == len(set(drawn)) <= 24
    assert set(drawn) <= set(made)
    if len(made) <= 24:
        assert set(drawn) == set(made)
    assert {arguments[0] for arguments in drawn} == {arguments[0] for arguments in made}
