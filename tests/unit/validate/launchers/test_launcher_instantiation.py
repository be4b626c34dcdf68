"""With which arguments a launcher that is a template is called."""

from __future__ import annotations

import pytest

from crawler.model import (
    HostCode,
    Instantiation,
    InstantiationOrigin,
    Kernel,
    Launch,
    OperatorRole,
    Span,
    TemplateParameter,
)
from crawler.validate.launchers.launcher_instantiation import find_template_arguments
from tests.plain import plain_kernel, plain_unit

SPAN = Span(path="a.cu", line=1, end_line=1, offset=0, end_offset=1)
HEAD = "template <typename Real, int Threads = 64>\nvoid n::run(Real* x)"


def make_kernel(
    callee: str = "k<Real, Threads>",
    *arguments: str,
    origin: InstantiationOrigin = InstantiationOrigin.EXPLICIT,
    parameters: tuple[str, ...] = ("T", "N"),
) -> Kernel:
    launch = Launch(
        span=SPAN, kernel_name="k", grid="1", block="1", callee=callee, enclosing="run"
    )
    instantiation = Instantiation(
        arguments=arguments or ("double", "128"), label="double_128", origin=origin
    )
    return plain_kernel(
        plain_unit(""),
        launches=(launch,),
        template_parameters=tuple(
            TemplateParameter(name=name, kind="type") for name in parameters
        ),
        instantiations=(instantiation,),
    )


def find_arguments(kernel: Kernel, head: str = HEAD) -> str:
    code = HostCode(
        role=OperatorRole.LAUNCHER,
        name="n::run",
        span=SPAN,
        source=f"{head} {{ k<Real, Threads><<<1, 1>>>(x); }}",
    )
    return find_template_arguments(kernel, code)


def test_a_launcher_has_the_arguments_that_it_passes_on() -> None:
    assert find_arguments(make_kernel()) == "<double, 128>"
    assert find_arguments(make_kernel("k<Threads, Real>", "32", "int")) == "<int, 32>"


def test_arguments_that_are_deduced_go_by_the_names_of_the_kernels_own() -> None:
    same_names = make_kernel("k", parameters=("Real", "Threads"))

    assert find_arguments(same_names) == "<double, 128>"
    assert find_arguments(make_kernel("k")) == ""


def test_what_no_project_asks_for_is_not_called() -> None:
    assert find_arguments(make_kernel(origin=InstantiationOrigin.DEFAULT)) == ""


@pytest.mark.parametrize(
    "head",
    [
        "void run(float* x)",
        "template <typename... Real> void run(Real*... x)",
        "template <typename> void run(float* x)",
        "template <typename Other> void run(Other* x)",
        "template <typename Real",
        "template",
    ],
)
def test_a_launcher_of_which_not_all_is_known_has_none(head: str) -> None:
    assert find_arguments(make_kernel(), head) == ""


def test_what_could_not_stand_in_a_text_is_no_argument() -> None:
    assert find_arguments(make_kernel("k<Real, Threads>", '"', "1")) == ""
