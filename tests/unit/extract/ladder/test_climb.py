"""A kernel takes the first rung that compiles, and says what was tried before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crawler.extract.ladder import climb
from crawler.extract.ladder.climb import UnitLadder
from crawler.extract.ladder.unit_check import UnitError, find_unit_errors
from crawler.model import Rung
from tests.unit.extract.ladder.conftest import ParsedProject, ParseProject, join_text

pytestmark = pytest.mark.apt("clang-19")

KERNEL = "__global__ void k(Pair *x) { x[0].a = x[0].b; }"
PAIR = "struct Pair { int a, b; };"


@pytest.fixture(scope="module")
def parsed_project(parse_project: ParseProject) -> ParsedProject:
    return parse_project(f"{PAIR}\n{KERNEL}\n")


def test_a_minimal_unit_that_compiles_stays(parsed_project: ParsedProject) -> None:
    kernel = parsed_project.climb_from("k", PAIR, KERNEL)

    assert kernel.closure is not None
    assert kernel.closure.rung is Rung.MINIMAL
    assert kernel.closure.attempts == ()


def test_a_unit_that_lacks_a_declaration_is_cut_from_the_whole(
    parsed_project: ParsedProject,
) -> None:
    kernel = parsed_project.climb_from("k", KERNEL)

    assert kernel.closure is not None
    assert kernel.closure.rung is Rung.REDUCED
    assert PAIR in join_text(kernel.closure)
    (attempt,) = kernel.closure.attempts
    assert attempt.startswith("minimal: ")
    assert "Pair" in attempt


def test_a_broken_declaration_is_read_from_its_file_again(
    parsed_project: ParsedProject,
) -> None:
    kernel = parsed_project.climb_from("k", "struct Pair { int a, b; }", KERNEL)

    assert kernel.closure is not None
    assert kernel.closure.rung is Rung.REDUCED


def test_a_kernel_that_is_wrong_itself_keeps_its_unit_and_says_what_was_tried(
    parse_project: ParseProject,
) -> None:
    wrong = "__global__ void k(int *x) { x[0] = no_such_function(x[0]); }"
    kernel = parse_project(wrong + "\n").climb_from("k", wrong)

    assert kernel.closure is not None
    assert kernel.closure.rung is Rung.MINIMAL
    rungs = [attempt.partition(":")[0] for attempt in kernel.closure.attempts]
    assert rungs[0] == "minimal"
    assert {"reduced", "wide"} <= set(rungs)
    assert all("no_such_function" in attempt for attempt in kernel.closure.attempts)


def test_nothing_is_tried_where_trials_are_not_allowed(
    parsed_project: ParsedProject,
) -> None:
    kernel = parsed_project.climb_from("k", KERNEL, is_trial_allowed=False)

    assert kernel.closure is not None
    assert kernel.closure.attempts == ()


def test_nothing_is_tried_when_the_time_of_a_unit_is_spent(
    parsed_project: ParsedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawler.extract.ladder.climb._MIN_SECONDS", -1.0)
    ladder = UnitLadder(parsed_project.root, parsed_project.command, 0.0, lambda: True)
    kernel = parsed_project.kernels["k"]
    assert kernel.closure is not None
    broken = replace(kernel, closure=replace(kernel.closure, fragments=(KERNEL,)))
    climbed = ladder.climb(
        broken, parsed_project.parse_pass.clang_unit, parsed_project.parse_pass.context
    )

    assert climbed == broken


def test_instantiations_are_part_of_what_must_compile(
    parse_project: ParseProject,
) -> None:
    template = "template <class T> __global__ void k(T *x) { x[0] = halve(x[0]); }"
    helper = "__device__ float halve(float x) { return x / 2; }"
    parsed_project = parse_project(
        f"{helper}\n{template}\nvoid launch(float *x) {{ k<<<1, 1>>>(x); }}\n"
    )
    # without an instantiation nobody looks for `halve`
    kernel = parsed_project.climb_from("k", template)

    assert kernel.closure is not None
    assert kernel.closure.rung is Rung.REDUCED


def test_some_of_many_instantiations_are_checked(
    parse_project: ParseProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    template = "template <int n> __global__ void k(int *x) { x[0] = n; }"
    launches = " ".join(f"k<{number}><<<1, 1>>>(x);" for number in range(100))
    parsed_project = parse_project(
        f"{template}\nvoid launch(int *x) {{ {launches} }}\n"
    )
    texts: list[str] = []

    def remember_text(
        text: str, *arguments: Any, **keywords: Any
    ) -> tuple[UnitError, ...] | None:
        texts.append(text)
        return find_unit_errors(text, *arguments, **keywords)

    monkeypatch.setattr(climb, "find_unit_errors", remember_text)
    kernel = parsed_project.climb_from("k", template)

    assert len(kernel.instantiations) == 100
    (text,) = texts
    assert 10 <= text.count("\ntemplate __global__") <= 24


def test_an_argument_that_one_of_many_instantiations_has_is_checked(
    parse_project: ParseProject,
) -> None:
    lacking = "struct Lacking {};"
    template = "template <class T, int n> __global__ void k(T x) { x + n; }"
    numbers = [f"k<int, {number}><<<1, 1>>>(0);" for number in range(40)]
    numbers.insert(7, "k<Lacking, 3><<<1, 1>>>(Lacking{});")
    parsed_project = parse_project(
        f"{lacking}\n{template}\nvoid launch() {{ {' '.join(numbers)} }}\n"
    )
    kernel = parsed_project.climb_from("k", lacking, template)

    assert kernel.closure is not None
    assert any("invalid operands" in text for text in kernel.closure.attempts)


def test_a_function_that_only_a_declaration_shows_is_looked_for(
    parse_project: ParseProject,
) -> None:
    declared = "template <class T> __device__ T halve(T x);"
    defined = "template <class T> __device__ T halve(T x) { return x / 2; }"
    kernel = "__global__ void k(float *x) { x[0] = halve(x[0]); }"
    parsed_project = parse_project(f"{declared}\n{defined}\n{kernel}\n")
    climbed = parsed_project.climb_from("k", declared, kernel)

    assert climbed.closure is not None
    assert climbed.closure.rung is Rung.REDUCED
    assert defined in join_text(climbed.closure)
    assert "no definition is available" in climbed.closure.attempts[0]


def test_a_function_that_no_file_defines_leaves_the_minimal_unit(
    parse_project: ParseProject,
) -> None:
    declared = "template <class T> __device__ T halve(T x);"
    kernel = "__global__ void k(float *x) { x[0] = halve(x[0]); }"
    parsed_project = parse_project(f"{declared}\n{kernel}\n")
    climbed = parsed_project.climb_from("k", declared, kernel)

    assert climbed.closure is not None
    assert climbed.closure.rung is Rung.MINIMAL
    assert all("halve" in attempt for attempt in climbed.closure.attempts)


def test_a_function_of_the_host_needs_no_definition(
    parse_project: ParseProject,
) -> None:
    host_class = "static void check(int);\nstruct Held { Held() { check(1); } int x; };"
    kernel = "__global__ void k(Held *x) { x->x = 1; }"
    parsed_project = parse_project(f"{host_class}\n{kernel}\n")
    climbed = parsed_project.climb_from("k", host_class, kernel)

    assert climbed.closure is not None
    assert climbed.closure.rung is Rung.MINIMAL
    assert climbed.closure.attempts == ()


def test_a_table_of_macros_is_taken_along_and_cut_to_what_is_used(
    parse_project: ParseProject,
) -> None:
    entries = "\n".join(
        f"#define ADD_{number}(x, ...) x + ADD_{number - 1}(__VA_ARGS__)"
        for number in range(2, 100)
    )
    tables = (
        "#define JOIN(a, b) JOIN_I(a, b)\n#define JOIN_I(a, b) a##b\n"
        "#define SIZE(...) PICK(__VA_ARGS__, 4, 3, 2, 1, 0)\n"
        "#define PICK(a, b, c, d, n, ...) n\n"
        f"#define ADD_1(x) x\n{entries}\n"
        "#define SUM(...) JOIN(ADD_, SIZE(__VA_ARGS__))(__VA_ARGS__)\n"
    )
    parsed_project = parse_project(
        f"{tables}__global__ void k(int *x) {{ x[0] = SUM(x[1], x[2], x[3]); }}\n"
    )
    kernel = parsed_project.kernels["k"]

    assert kernel.closure is not None
    text = join_text(kernel.closure)
    assert kernel.closure.rung is Rung.MINIMAL
    assert kernel.closure.attempts == ()
    assert "#define ADD_3(" in text
    assert "#define ADD_1(" in text
    assert "#define ADD_4(" not in text
    assert "#ADD_4" not in kernel.closure.dependencies
    assert len(kernel.closure.fragments) < 20
