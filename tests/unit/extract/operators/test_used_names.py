"""Names that stand behind an object are those of members, all others may be functions."""

from __future__ import annotations

import pytest

from crawler.extract.operators.used_names import NO_NAMES, collect_used_names


@pytest.mark.parametrize(
    ("code", "free", "members"),
    [
        ("run(); lib::call<Type>(value)", {"run", "lib", "call", "Type", "value"}, {}),
        ("tensor.max(); this->step()", {"tensor", "this"}, {"max", "step"}),
        ("tensor\n    .size(one)", {"tensor", "one"}, {"size"}),
        ("table.template get<Type>()", {"table", "Type"}, {"get"}),
        (
            "count>limit && call<Type>launch",
            {"count", "limit", "call", "Type", "launch"},
            {},
        ),
        ("sum(args...); [](auto...rest) {}", {"sum", "args", "auto", "rest"}, {}),
        ("ab(); x.cd()", {}, {}),
    ],
)
def test_names_by_where_they_stand(
    code: str, free: set[str], members: set[str]
) -> None:
    names = collect_used_names(code)
    assert names.free == set(free)
    assert names.members == set(members)


def test_names_of_a_part_of_the_code() -> None:
    names = collect_used_names("first(); second.third()", 9)
    assert names == NO_NAMES.join(collect_used_names("second.third()"))
