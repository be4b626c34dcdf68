"""The outline of a file: functions, registration macros and names for Python."""

from __future__ import annotations

import time

import pytest

from crawler.extract.operators.outline import outline_file

TEXT = """\
#define HELPERS(x) scale(x); offset(x)
namespace lib { namespace {
struct Add : Base {
  Add() : Base(1) { reset(); }
  float operator()(float a) const { return add_one(a); }
};
enum class Mode { kSum, kMean };
static const int table[] = { one(), two() };
__global__ void __launch_bounds__(256) kernel(float* x) { step(x); }
template <typename T> T Tool::run(T a) {
#define LOCAL(x) local_helper(x)
  return a; // never(a)
}
} }
REGISTER_DISPATCH(add_stub, &lib::add_kernel)
REGISTER(plain);
PYBIND11_MODULE(ext, m) {
  m.def("add", &add_forward, "adds");
  m.def("add_schema(Tensor a) -> Tensor");
  // m.def("not_this", &no);
}
"""


def test_functions_with_their_names_and_words() -> None:
    outline = outline_file("a.cpp", TEXT)
    names = [function.name for function in outline.functions]
    assert names == [
        "lib::Add::Add",
        "lib::Add::operator()",
        "lib::kernel",
        "lib::Tool::run",
        "PYBIND11_MODULE",
    ]
    words = {function.name: function.names.free for function in outline.functions}
    assert "add_one" in words["lib::Add::operator()"]
    assert "step" in words["lib::kernel"]
    assert "local_helper" in words["lib::Tool::run"]
    assert "never" not in words["lib::Tool::run"]


def test_what_calls_of_a_function_are_written_with() -> None:
    outline = outline_file("a.cpp", TEXT)
    call_names = [function.call_name for function in outline.functions]
    assert call_names[:3] == ["Add", "Add", "kernel"]


def test_a_place_belongs_to_the_function_round_it() -> None:
    outline = outline_file("a.cpp", TEXT)
    function = outline.find_function_at(TEXT.index("step(x)"))
    assert function is not None
    assert function.name == "lib::kernel"
    assert function.span.line == TEXT[: TEXT.index("__global__")].count("\n") + 1
    assert outline.find_function_at(TEXT.index("enum class")) is None
    assert outline.find_function_at(0) is None


def test_macros_between_functions() -> None:
    outline = outline_file("a.cpp", TEXT)
    registrations = [(item.macro, item.arguments) for item in outline.registrations]
    assert registrations == [("REGISTER_DISPATCH", ("add_stub", "lib::add_kernel"))]
    assert outline.macro_names["HELPERS"].free >= {"scale", "offset"}
    assert "LOCAL" not in outline.macro_names


def test_names_bound_to_python() -> None:
    bindings = outline_file("a.cpp", TEXT).python_bindings
    assert [(item.name, item.verb) for item in bindings] == [
        ("add", "def"),
        ("add_schema", "def"),
    ]
    assert bindings[0].target_words[0] == "add_forward"


@pytest.mark.parametrize(
    "hostile", ["{", "(", "f(", "namespace a {", "#define A {\n", "<", '"', "enum {"]
)
def test_hostile_texts_cost_little(hostile: str) -> None:
    start = time.process_time()
    outline_file("a.cpp", hostile * 5_000)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("template <class T> void Tool<T>::run(T a)", "lib::Tool::run"),
        ("void Tool<Pair<int, 4>>::run(int a)", "lib::Tool::run"),
        (
            "template <class T>\nvoid Outer<T>::Inner<T *>::run()",
            "lib::Outer::Inner::run",
        ),
        ("template <class T> Tool<T>::~Tool()", "lib::Tool::~Tool"),
        ("template <class T> T Tool<T>::operator()(T a)", "lib::Tool::operator()"),
        ("float Tool::operator()(float a)", "lib::Tool::operator()"),
        ("std::vector<int>::iterator Tool::run()", "lib::Tool::run"),
        ("template <class T> std::vector<T> run(T a)", "lib::run"),
    ],
)
def test_a_member_defined_outside_of_its_class_is_named_with_it(
    head: str, name: str
) -> None:
    text = f"namespace lib {{ {head} {{ return; }} }}"
    (function,) = outline_file("a.cpp", text).functions
    assert function.name == name


def test_a_name_that_begins_at_the_global_namespace_is_written_without_the_mark() -> (
    None
):
    (function,) = outline_file("a.cpp", "void ::lib::run(int a) { }").functions
    assert function.name == "lib::run"


def test_a_functor_defined_outside_of_its_class_is_called_by_its_name() -> None:
    text = "template <class T> void Apply<T>::operator()(T a) { }"
    (function,) = outline_file("a.cpp", text).functions
    assert function.call_name == "Apply"


@pytest.mark.parametrize(
    ("text", "dispatch_key"),
    [
        ('TORCH_LIBRARY_IMPL(lib, CPU, m) { m.impl("add", &add); }', "CPU"),
        ('STABLE_TORCH_LIBRARY_IMPL(lib, CUDA, m) { m.impl("add", &add); }', "CUDA"),
        ('TORCH_LIBRARY(lib, m) { m.impl("add", torch::kCPU, &add); }', "CPU"),
        (
            'TORCH_LIBRARY(lib, m) { m.impl("add", c10::DispatchKey::CPU, add); }',
            "CPU",
        ),
        (
            'TORCH_LIBRARY(lib, m) { m.impl("add", torch::dispatch(at::kCUDA, add)); }',
            "CUDA",
        ),
        ('TORCH_LIBRARY(lib, m) { m.def("add", &add); }', ""),
        ('PYBIND11_MODULE(lib, m) { m.def("add", &add, "adds"); }', ""),
    ],
)
def test_a_binding_says_what_device_it_registers_for(
    text: str, dispatch_key: str
) -> None:
    (binding,) = outline_file("a.cpp", text).python_bindings
    assert binding.dispatch_key == dispatch_key


def test_a_block_of_registrations_says_nothing_of_those_behind_it() -> None:
    text = """
TORCH_LIBRARY_IMPL(lib, CPU, m) { m.impl("add", &add); }
TORCH_LIBRARY(lib, m) { m.impl("scale", &scale); }
"""
    bindings = outline_file("a.cpp", text).python_bindings
    assert [binding.dispatch_key for binding in bindings] == ["CPU", ""]


def test_an_outline_survives_any_text() -> None:
    for text in (
        "",
        "}}}{{{",
        "void f( {",
        '"',
        "/*",
        "int a = {1, 2}; struct S { int f() const { return 1; } };",
    ):
        outline_file("a.cpp", text)
    (only,) = outline_file(
        "a.cpp", "namespace n { struct S { int f() const { return 1; } }; }"
    ).functions
    assert only.name == "n::S::f"


@pytest.mark.parametrize(
    "filling", [" ", ":", "operator", "a<", "struct ", "x /* y */", "\n#define A \\\n"]
)
def test_an_outline_takes_time_that_grows_with_the_text(filling: str) -> None:
    text = "int f" + filling * (200_000 // len(filling))
    began = time.process_time()
    outline_file("a.cpp", text + "* (int a) { }\nvoid g() {}\n")
    assert time.process_time() - began < 10


def test_a_function_behind_a_long_comment_keeps_its_name() -> None:
    (only,) = outline_file(
        "a.cpp", f"/* {'long ' * 10_000} */ int f(int a) {{ return a; }}"
    ).functions
    assert only.name == "f"
