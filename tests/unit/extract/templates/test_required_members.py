"""What a kernel asks of the type of a template parameter."""

from __future__ import annotations

import pytest

from crawler.extract.templates.required_members import (
    count_call_arguments,
    find_required_members,
)
from tests.unit.extract.builders import make_kernel


def test_members_of_the_type_and_of_what_has_it() -> None:
    kernel = make_kernel(
        "typename Op::Element e; Op::template run<4>(e); op.scale = 2; ops->next();",
        ("class Op",),
        (("const Op &", "op"), ("Op *", "ops"), ("Other", "x")),
        template_head="template <class Op, int N = Op::kCount>",
    )
    assert find_required_members("Op", kernel) == {
        "Element",
        "run",
        "kCount",
        "scale",
        "next",
    }


def test_members_of_others_are_not_asked_of_it() -> None:
    kernel = make_kernel(
        "MyOp::run(); x.scale = 1; y.op.scale = 2;",
        ("class Op",),
        (("Op", "op"), ("Other", "x")),
    )
    assert find_required_members("Op", kernel) == frozenset()


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("y = op(x);", 1),
        ("y = op(x[f(1, 2)], {3, 4});", 2),
        ("y = op (a, b, c);", 3),
        ("y = op();", 1),
        ("y = op(a, b", 2),
        ("y = op(x /* of (a, b */, ')');", 2),
        ("// op(a, b)\ny = op(x);", 1),
        ("y = p.op(a, b);", 0),
        ("y = op.scale;", 0),
    ],
)
def test_arguments_of_a_call_are_counted(source: str, count: int) -> None:
    kernel = make_kernel(source, ("class Op",), (("float", "x"), ("Op", "op")))
    assert count_call_arguments("Op", kernel) == count


def test_without_a_parameter_of_the_type_nothing_is_called() -> None:
    kernel = make_kernel("op(1);", ("class Op",), (("Option", "op"),))
    assert count_call_arguments("Op", kernel) == 0
