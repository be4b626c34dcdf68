"""The template-free text of an instantiation: arguments stand where the parameters stood, and
nowhere else.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crawler.codec import decode
from crawler.dataset.texts.flatten import Flat, flatten_kernel
from crawler.model import Instantiation, Kernel, KernelRecord, TemplateParameter

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
PLAIN = next(record.kernel for record in RECORDS if record.kernel.name == "block_sum")


def flatten_text(source: str, *spelled: tuple[str, str, str], unit: str = "") -> Flat:
    """Flatten a kernel `k`, whose parameters are given as (`type` or a value's type, name,
    argument).
    """
    parameters = tuple(
        TemplateParameter(
            name=name, kind=kind if kind in ("type", "template") else "value", type=kind
        )
        for kind, name, _ in spelled
    )
    assert PLAIN.unit
    kernel: Kernel = replace(
        PLAIN,
        name="k",
        source=source,
        template_head=source[: source.find(">") + 1]
        if source.startswith("template")
        else "",
        template_parameters=parameters,
        unit=replace(PLAIN.unit, source=unit + source),
    )
    arguments = tuple(argument for *_, argument in spelled)
    return flatten_kernel(
        kernel, Instantiation(arguments=arguments, label="_".join(arguments))
    )


def test_head_and_name_and_types_are_those_of_the_instantiation() -> None:
    text = "template <typename T, int N>\n__global__ void __launch_bounds__(N) k(T* out) { out[N] = T(N); }"
    made = flatten_text(text, ("type", "T", "float"), ("int", "N", "128"))
    assert made.name == "k_float_128"
    assert (
        made.source
        == "__global__ void __launch_bounds__(128) k_float_128(float* out) { out[128] = float(128); }"
    )


def test_only_the_parameter_is_replaced() -> None:
    text = """template <class T> __global__ void k(T* T_out, box<T> b) {
  // T stays here, and /* T */ in "T" below
  const char* s = "T of T"; char c = 'T';
  b.T = b.x->T + other::T + sizeof(T);
#define ADD(T, x) ((T)(x))
#define CAST(x) ((T)(x))
#if defined(T)
#endif
#pragma unroll T
}"""
    lines = flatten_text(text, ("type", "T", "c10::Half")).source.splitlines()
    assert (
        lines[0] == "__global__ void k_c10_Half(c10::Half* T_out, box<c10::Half> b) {"
    )
    assert lines[1:3] == text.splitlines()[1:3]
    assert lines[3] == "  b.T = b.x->T + other::T + sizeof(c10::Half);"
    assert lines[4:7] == [
        "#define ADD(T, x) ((T)(x))",
        "#define CAST(x) ((c10::Half)(x))",
        "#if defined(T)",
    ]
    assert lines[8] == "#pragma unroll c10::Half"


def test_a_type_that_fits_into_no_declaration_gets_an_alias() -> None:
    made = flatten_text(
        "template <typename P> __global__ void k(const P a, P b) {}",
        ("type", "P", "float *"),
    )
    assert (
        made.source == "using P = float *;\n__global__ void k_float(const P a, P b) {}"
    )
    made = flatten_text(
        "template <typename P> __global__ void k(P a) {}",
        ("type", "P", "pair<int, float>"),
    )
    assert made.source.startswith("using P = pair<int, float>;\n")


def test_a_type_of_several_words_can_still_be_called() -> None:
    made = flatten_text(
        "template <typename T> __global__ void k(T* a) { a[0] = T(1) + T(); }",
        ("type", "T", "unsigned char"),
    )
    assert (
        made.source
        == "__global__ void k_unsigned_char(uint8_t* a) { a[0] = uint8_t(1) + uint8_t(); }"
    )


@pytest.mark.parametrize(
    ("kind", "argument", "text"),
    [
        ("int", "-1", "(-1)"),
        ("unsigned int", "4", "4u"),
        ("size_t", "4", "4ul"),
        ("bool", "true", "true"),
        ("short", "4", "static_cast<short>(4)"),
        ("Mode", "Mode::kFast", "Mode::kFast"),
        ("Mode", "static_cast<Mode>(1)", "static_cast<Mode>(1)"),
        ("auto", "&f", "(&f)"),
    ],
)
def test_a_value_keeps_its_type(kind: str, argument: str, text: str) -> None:
    made = flatten_text(
        f"template <{kind} N> __global__ void k(int* a) {{ a[0] = f(x-N); }}",
        (kind, "N", argument),
    )
    assert made.source.endswith(f"f(x-{text}); }}")


def test_macros_outside_that_name_a_parameter_are_given_its_meaning() -> None:
    macros = "#define ONE TWO\n#define TWO (scalar_t(1) + N)\n#define UNUSED M\n"
    text = "template <typename scalar_t, int N, int M> __global__ void k(int* a) { a[0] = ONE; }"
    spelled = ("type", "scalar_t", "float"), ("int", "N", "4"), ("int", "M", "8")
    assert flatten_text(text, *spelled, unit=macros).source.splitlines()[:2] == [
        "using scalar_t = float;",
        "constexpr int N = 4;",
    ]
    assert "M" not in flatten_text(text, *spelled, unit=macros).source


def test_what_is_no_template_stays_as_it_is() -> None:
    text = "__global__ void k(float* T) { T[0] = 1; }"
    assert flatten_text(text) == Flat(label="", name="k", source=text)


def test_a_full_specialisation_is_named_by_its_own_arguments() -> None:
    made = flatten_text("template <>\n__global__ void k<float, 4>(float* a) {}")
    assert (made.name, made.source) == (
        "k_float_4",
        "__global__ void k_float_4(float* a) {}",
    )


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("template <typename... T> __global__ void k(T... a) {}", "template-pack"),
        (
            "template <typename T> requires C<T> __global__ void k(T a) {}",
            "constrained",
        ),
        ("HEAD(T) __global__ void k(T a) {}", "made-by-macro"),
        ("template <typename T> __global__ void NAME(T a) {}", "made-by-macro"),
        (
            "template <typename T> template <int N> __global__ void S<T>::k(T a) {}",
            "member-of-template",
        ),
        ("template <int N = (1> __global__ void k(T a) {}", "unbalanced"),
    ],
)
def test_what_has_no_such_text_says_why(source: str, code: str) -> None:
    made = flatten_text(source, ("type", "T", "float"))
    if source.startswith("HEAD"):
        made = flatten_kernel(replace(PLAIN, source=source), PLAIN.instantiations[0])
    assert made.source == ""
    assert made.problem.startswith(f"{code}: ")
