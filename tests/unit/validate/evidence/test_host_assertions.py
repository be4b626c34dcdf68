"""What a launcher asserts of its sizes holds for the sizes that are chosen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import (
    Dialect,
    FlagsOrigin,
    HostCode,
    Kernel,
    Launch,
    Layer,
    OperatorRole,
    Span,
)
from crawler.validate.evidence.evaluation import evaluate, to_number
from crawler.validate.evidence.evaluation_scope import EvaluationScope
from crawler.validate.evidence.expressions.expression_tree import Expression, Name
from crawler.validate.evidence.host_assertions import (
    ConditionScope,
    find_host_assertions,
    find_host_refusals,
    values_to_satisfy,
)
from crawler.validate.evidence.launch_configuration import (
    LaunchConfiguration,
    ScalarParameter,
)
from crawler.validate.evidence.recorded_launch_site import build_launch_site

SPAN = Span(path="a.cu", line=1, end_line=2, offset=0, end_offset=1)


def configure_with(
    checks: str, names: str = "rows hidden", grid: str = "rows"
) -> LaunchConfiguration:
    source = f"void run() {{ int hidden = x.size(-1); {checks} k<<<rows, 64>>>(); }}"
    host = HostCode(
        role=OperatorRole.LAUNCHER,
        name="n::run",
        span=replace(SPAN, end_offset=len(source)),
        source=source,
    )
    place = source.index("k<<<")
    launch = Launch(
        span=replace(SPAN, offset=place, end_offset=place + 1),
        kernel_name="k",
        grid=grid,
        block="64",
        enclosing="run",
        argument_map=(("hidden", "hidden"),),
    )
    kernel = Kernel(
        name="k", qualified_name="k", mangled="", dialect=Dialect.CUDA, span=SPAN, found_by=Layer.AST, reason="",
        source="", template_head="", parameters=(), template_parameters=(), attributes=(), instantiations=(),
        launches=(launch,), flags_origin=FlagsOrigin.EXPORTED, host=(host,),
    )  # fmt: skip
    site = build_launch_site(kernel, launch, None, "")
    return site.configure(
        [ScalarParameter(name=name) for name in names.split()],
        lambda _text, _names, value: value,
        1 << 13,
    )


@pytest.mark.parametrize(
    ("checks", "holds"),
    [
        ("TORCH_CHECK(hidden % 48 == 0, \"must be % of 48\");", lambda hidden: hidden % 48 == 0),
        ("GGML_ASSERT(!(x.size(-1) % 48));", lambda hidden: hidden % 48 == 0),
        ("CHECK_EQ(hidden, 128);", lambda hidden: hidden == 128),
        ('assert(hidden / 16 == 4 && "so many");', lambda hidden: hidden == 64),
        ("TORCH_CHECK(x.dim() == 2 && hidden >= 200);", lambda hidden: hidden >= 200),
        ("STD_TORCH_CHECK(hidden == 192 || hidden == 576, hidden);", lambda hidden: hidden == 192),
        ("TORCH_CHECK(int64_t(hidden) == 128);", lambda hidden: hidden == 128),
        ("TORCH_CHECK(unsigned(hidden) % 48 == 0);", lambda hidden: hidden % 48 == 0),
        ("assert(std::size_t(int(hidden) / 16) == 4);", lambda hidden: hidden == 64),
        ("TORCH_INTERNAL_ASSERT(7 > hidden);", lambda hidden: 0 < hidden < 7),
    ],
)  # fmt: skip
def test_a_size_is_what_the_launcher_asserts(checks: str, holds: object) -> None:
    assert callable(holds)
    assert not holds(configure_with("").scalars["hidden"])
    assert holds(configure_with(checks).scalars["hidden"])


@pytest.mark.parametrize(
    ("refusal", "holds"),
    [
        ("if (hidden % 48 != 0) return 1;", lambda hidden: hidden % 48 == 0),
        ("if (hidden % 48) { return 1; }", lambda hidden: hidden % 48 == 0),
        ("if (rows < 1 || hidden < 200) throw 1;", lambda hidden: hidden >= 200),
        ("if (!(hidden >= 200)) return;", lambda hidden: hidden >= 200),
        ("if (hidden > 6 && hidden != 500) return;", lambda hidden: hidden < 7),
    ],
)  # fmt: skip
def test_a_size_is_none_with_which_the_launcher_returns_early(
    refusal: str, holds: object
) -> None:
    assert callable(holds)
    assert not holds(configure_with("").scalars["hidden"])
    assert holds(configure_with(refusal).scalars["hidden"])


@pytest.mark.parametrize(
    "text",
    [
        "if (hidden % 48 == 0) { fast<<<1, 1>>>(); }",
        "k<<<rows, 64>>>(); if (hidden < 200) return;",
        "if (hidden % 48 != 0",
        "if (hidden) return;",
    ],
)
def test_what_keeps_no_launch_back_asks_for_nothing(text: str) -> None:
    assert configure_with(text).scalars == configure_with("").scalars


def test_a_text_of_nothing_but_refusals_is_read_in_time() -> None:
    assert len(find_host_refusals("if (a < 1) return; " * 5000)) == 200
    assert find_host_refusals("if (" + "!(" * 4000) == ()


def test_what_nobody_knows_is_nobodys_concern() -> None:
    plain = configure_with("").scalars["hidden"]
    for checks in (
        "CHECK(y.size(0) == 77);",
        "CUDA_CHECK(hidden == 77);",
        "static_assert(sizeof(int) == 5);",
    ):
        configuration = configure_with(checks)
        assert configuration.scalars["hidden"] == plain
        assert "y.size(0)" not in configuration.free_variables


def test_conditions_that_contradict_each_other_come_to_an_end() -> None:
    configuration = configure_with(
        "assert(hidden == 64); assert(hidden == 128); assert(rows >= 512); assert(hidden > hidden);"
    )
    assert configuration.scalars["hidden"] in (64, 128)
    assert configuration.scalars["rows"] >= 512


def test_a_grid_is_not_made_smaller_by_what_is_asserted_of_it() -> None:
    configuration = configure_with(
        "assert(rows > 40);", "rows hidden", "dim3(rows, hidden)"
    )
    assert configuration.scalars["rows"] > 40
    assert configuration.thread_count <= 1 << 14


def test_a_text_of_nothing_but_openings_is_read_in_time() -> None:
    assert len(find_host_assertions("CHECK(a == 1) " * 5000)) == 200
    assert find_host_assertions("CHECK((((" * 400) == ()


@pytest.mark.parametrize(
    "check",
    [
        "hidden < 1e400",
        "hidden == 1e400 - 1e400",
        "hidden % 0.5 == 0",
        "hidden / 1e400 == 4",
        "!(hidden % 1e400)",
    ],
)
def test_what_no_number_can_be_asks_for_nothing(check: str) -> None:
    assert (
        configure_with(f"TORCH_CHECK({check});").scalars == configure_with("").scalars
    )


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "==", "%"])
@pytest.mark.parametrize("bound", [1, 7, 96])
@pytest.mark.parametrize("size", [1, 6, 7, 8, 500])
def test_a_value_that_is_changed_satisfies_the_comparison(
    sign: str, bound: int, size: int
) -> None:
    comparison = f"n % {bound} == 0" if sign == "%" else f"n {sign} {bound}"
    (condition,) = find_host_assertions(f"assert({comparison});")

    def holds(value: int) -> bool:
        return bool(eval(comparison, {}, {"n": value}))

    def evaluate_with_size(tree: Expression) -> int | float | None:
        scope = EvaluationScope(resolve_free=lambda _text, _names: size)
        return to_number(evaluate(tree, scope))

    scope = ConditionScope(
        value=evaluate_with_size,
        variable=lambda tree: tree.text if isinstance(tree, Name) else "",
    )
    values = values_to_satisfy(condition, scope)
    if holds(size):
        assert values == {}
    elif values:
        assert holds(values["n"])
    else:
        # no size is less than one
        assert comparison == "n < 1"
