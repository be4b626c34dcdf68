"""Which function of a project can be called to launch a kernel."""

from __future__ import annotations

import pytest

from crawler.model import (
    CompanionKind,
    CompileCommand,
    Dialect,
    FlagsOrigin,
    HostCode,
    HostCompanion,
    Instantiation,
    InstantiationOrigin,
    Kernel,
    OperatorRole,
    Span,
    TemplateParameter,
)
from crawler.validate.launchers.launcher_source import (
    LauncherSource,
    find_launcher,
    render_launcher_program,
)
from tests.plain import plain_kernel, plain_unit


def make_command(file: str) -> CompileCommand:
    return CompileCommand(
        directory=".",
        file=file,
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )


def make_host_code(
    name: str, head: str, role: OperatorRole = OperatorRole.LAUNCHER, path: str = "a.cu"
) -> HostCode:
    span = Span(path=path, line=1, end_line=1, offset=0, end_offset=1)
    return HostCode(
        role=role, name=name, span=span, source=head + " { k<<<1, 1>>>(); }"
    )


def find_name(*host: HostCode) -> str:
    kernel: Kernel = plain_kernel(plain_unit(""), host=host)
    source = find_launcher([make_command("a.cu")], kernel)
    return source.name if source else ""


def test_a_function_that_takes_tensors_is_called() -> None:
    assert find_name(make_host_code("ns::f", "void f(at::Tensor x)")) == "ns::f"


def test_where_the_launcher_is_a_template_its_caller_is_called() -> None:
    launcher = make_host_code("f", "template <class T> void f(Tensor x)")
    caller = make_host_code("g", "Tensor g(Tensor x)", OperatorRole.DISPATCHER)

    assert find_name(caller, launcher) == "g"


def test_a_function_of_pointers_is_called() -> None:
    assert find_name(make_host_code("f", "void f(float* x, int n)")) == "f"


def test_a_function_that_is_given_no_memory_is_not_called() -> None:
    assert find_name(make_host_code("f", "void f(int n)")) == ""
    head = "/* as many as a Tensor has */ void f(int n /* or {} */) // *n"
    assert find_name(make_host_code("f", head + "\n")) == ""


def test_what_a_comment_says_in_front_of_a_function_is_no_part_of_it() -> None:
    head = "// takes {x}, and no template\nvoid f(float* x)"
    assert find_name(make_host_code("f", head)) == "f"


def test_a_member_of_a_class_template_has_no_plain_name() -> None:
    assert find_name(make_host_code("Op<float>::f", "Tensor f(Tensor x)")) == ""


def test_what_an_unnamed_namespace_holds_is_called_without_it() -> None:
    code = make_host_code("(anonymous namespace)::f", "Tensor f(Tensor x)")

    assert find_name(code) == "f"


def test_a_function_in_a_source_without_a_command_is_not_called() -> None:
    assert find_name(make_host_code("f", "Tensor f(Tensor x)", path="b.cu")) == ""


def test_a_function_in_a_header_is_not_called() -> None:
    kernel = plain_kernel(
        plain_unit(""), host=(make_host_code("f", "Tensor f(Tensor x)", path="a.cuh"),)
    )

    assert find_launcher([make_command("a.cuh")], kernel) is None


def test_its_program_includes_the_source_and_calls_the_function() -> None:
    source = LauncherSource(command=make_command("csrc/a.cu"), name="ns::f")

    program = render_launcher_program(source)

    assert '#include "/checkout/csrc/a.cu"\n' in program
    assert 'drive(&::ns::f, "ns::f", {}, {}, {}, false)' in program


def test_numbers_of_the_function_are_sizes_that_a_call_may_have() -> None:
    text = "void f(Tensor x) { CHECK(x.size(1) == 3 * 80 && x.size(0) > 0x10 + 3); g(1, 9999, 2.5f); }"
    kernel = plain_kernel(
        plain_unit(""), host=(make_host_code("f", text, path="a.cu"),)
    )

    source = find_launcher([make_command("a.cu")], kernel)

    assert source is not None
    assert source.numbers == (3, 80)
    assert '"f", {3, 80}, {}, {}, false)' in render_launcher_program(source)


def test_words_of_the_function_and_of_its_tables_are_words_that_it_may_be_given() -> (
    None
):
    text = 'void f(Tensor x, string mode) { CHECK(mode != "", "a mode"); g(table.at(mode), "up"); }'
    table = HostCompanion(
        kind=CompanionKind.CONSTANT,
        name="table",
        span=Span(path="table.h", line=1, end_line=1, offset=0, end_offset=1),
        source='const map table = {{"up", 1}, {"down", 2}, {"\\"", 3}};',
    )
    kernel = plain_kernel(
        plain_unit(""),
        host=(make_host_code("f", text, path="a.cu"),),
        companions=(table,),
    )

    source = find_launcher([make_command("a.cu")], kernel)

    assert source is not None
    assert source.words == ("up", "down")
    assert '"f", {}, {"up", "down"}, {}, false)' in render_launcher_program(source)


def test_macros_of_a_plain_source_do_not_reach_our_headers() -> None:
    kernel: Kernel = plain_kernel(
        plain_unit(""), host=(make_host_code("f", "void f(float* x)"),)
    )
    source = find_launcher([make_command("a.cu")], kernel)
    assert source is not None

    program = render_launcher_program(source)

    assert program.index("torch_calls/calls.h") < program.index("/checkout/a.cu")


@pytest.mark.parametrize("file", ['a"\n#embed "/etc/passwd.cu', "a\n.cu", "a\r.cu"])
def test_a_source_whose_name_would_end_its_include_is_not_called(file: str) -> None:
    code = make_host_code("f", "Tensor f(Tensor x)", path=file)
    kernel = plain_kernel(plain_unit(""), host=(code,))

    assert find_launcher([make_command(file)], kernel) is None


def test_a_template_is_called_with_what_its_project_instantiates_where_nothing_else_is() -> (
    None
):
    template = make_host_code("f", "template <class T> void f(T* x)")
    plain = make_host_code("g", "void g(float* x)", OperatorRole.DISPATCHER)
    instantiation = Instantiation(
        arguments=("double",), label="double", origin=InstantiationOrigin.EXPLICIT
    )
    parameter = TemplateParameter(name="T", kind="type")

    def find(*host: HostCode) -> str:
        kernel = plain_kernel(
            plain_unit(""),
            host=host,
            template_parameters=(parameter,),
            instantiations=(instantiation,),
        )
        source = find_launcher([make_command("a.cu")], kernel)
        return source.name if source else ""

    assert find(template) == "f<double>"
    assert find(template, plain) == "g"


def test_the_function_for_a_cpu_beside_it_is_what_results_are_held_against() -> None:
    launcher = make_host_code("ns::f", "Tensor f(Tensor x)")
    on_host = make_host_code("ns::f_cpu", "Tensor f_cpu(Tensor x)", OperatorRole.CPU)
    elsewhere = make_host_code(
        "g_cpu", "Tensor g_cpu(Tensor x)", OperatorRole.CPU, "b.cu"
    )
    kernel = plain_kernel(plain_unit(""), host=(launcher, on_host, elsewhere))
    source = find_launcher([make_command("a.cu")], kernel)

    assert source is not None
    assert source.host_path == "ns::f_cpu"
    assert "false, &::ns::f_cpu)" in render_launcher_program(source)


def test_of_several_functions_for_a_cpu_none_is_meant() -> None:
    codes = [
        make_host_code(name, f"Tensor {name}(Tensor x)", OperatorRole.CPU)
        for name in ("one_cpu", "other_cpu")
    ]
    kernel = plain_kernel(
        plain_unit(""), host=(make_host_code("f", "Tensor f(Tensor x)"), *codes)
    )
    source = find_launcher([make_command("a.cu")], kernel)

    assert source is not None
    assert not source.host_path
