"""Which instantiation of a kernel is run, and which ones where that comes to nothing."""

from __future__ import annotations

from crawler.model import Instantiation
from crawler.validate.trial import alternatives, representative


def made(*arguments: tuple[str, ...]) -> list[Instantiation]:
    return [Instantiation(arguments=each, label="_".join(each)) for each in arguments]


def test_others_of_the_same_type_are_tried_after_the_one_that_stands_for_all() -> None:
    known = made(("__half", "true"), ("float", "true"), ("__half", "false"), ("float", "false"), ("double", "true"))
    assert representative(known) == 1
    assert alternatives(known) == (1, 3)


def test_few_are_tried() -> None:
    known = made(("4",), ("8",), ("16",), ("32",))
    assert alternatives(known) == (0, 1, 2)
    assert alternatives([]) == (0,)
