"""The call graph by names: nearest namesakes, registrations, and ways through them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from crawler.extract.operators.call_graph import CallGraph, CallStep
from crawler.extract.operators.cpu_code import is_cpu_step
from crawler.extract.operators.outline import outline_file


def graph_of(files: Mapping[str, str]) -> CallGraph:
    return CallGraph(outline_file(path, text) for path, text in files.items())


def reach(graph: CallGraph, path: str, name: str) -> dict[str, str]:
    """Return how each function is reached from one, by `path:name`."""
    starts = [
        function for function in graph.outlines[path].functions if function.name == name
    ]
    steps = graph.find_reachable(starts, "start")
    return {
        f"{step.function.span.path}:{step.function.name}": step.evidence
        for step in steps
    }


def test_calls_lead_to_the_nearest_namesake() -> None:
    graph = graph_of(
        {
            "ops/cuda/a.cu": "void entry() { helper(); }",
            "ops/cuda/b.cu": "void helper() { }",
            "ops/cpu/b.cpp": "void helper() { }",
        }
    )
    assert reach(graph, "ops/cuda/a.cu", "entry") == {
        "ops/cuda/a.cu:entry": "start",
        "ops/cuda/b.cu:helper": "calls",
    }


def test_a_name_that_many_share_says_nothing() -> None:
    files = {f"lib{number}/a.cpp": "void helper() { }" for number in range(5)}
    graph = graph_of({"main.cpp": "void entry() { helper(); }", **files})
    assert list(reach(graph, "main.cpp", "entry")) == ["main.cpp:entry"]


def test_registrations_lead_from_a_stub_to_its_functions() -> None:
    graph = graph_of(
        {
            "a.cpp": "void add() { add_stub(1); }",
            "a.cu": "void add_cuda() { }\nREGISTER(add_stub, CUDA, add_cuda)\n",
        }
    )
    assert reach(graph, "a.cpp", "add")["a.cu:add_cuda"] == "registered: CUDA"


def test_macros_of_a_file_are_looked_into() -> None:
    text = "#define OUTER INNER\n#define INNER helper()\nvoid helper() { }\nvoid entry() { OUTER; }"
    assert "a.cu:helper" in reach(graph_of({"a.cu": text}), "a.cu", "entry")


def test_an_autograd_class_is_called_by_its_name() -> None:
    text = "struct Scale { static int forward(int a) { return a; } };\nvoid entry() { Scale::apply(1); }"
    assert "a.cpp:Scale::forward" in reach(graph_of({"a.cpp": text}), "a.cpp", "entry")


def test_each_function_is_reached_once_by_its_shortest_way() -> None:
    text = "void third() { first(); }\nvoid second() { third(); }\nvoid first() { second(); third(); }"
    graph = graph_of({"a.cpp": text})
    (first,) = [
        function
        for function in graph.outlines["a.cpp"].functions
        if function.name == "first"
    ]
    steps = graph.find_reachable([first], "bound")
    ways = [
        [function.function.name for function in step.trace_steps()] for step in steps
    ]
    assert ways == [["first"], ["first", "second"], ["first", "third"]]


@pytest.mark.parametrize(
    ("path", "name", "evidence", "is_cpu"),
    [
        ("a.cpp", "add_cpu", "calls", True),
        ("a.cpp", "addCPU", "calls", True),
        ("ops/cpu/a.cpp", "add", "calls", True),
        ("ops/cpu/a.cpp", "add", "registered: CUDA", False),
        ("a.cpp", "add", "registered: kCPU", True),
        ("a.cpp", "add", "registered: CPU", True),
        ("a.cpp", "add", "registered: DispatchKey::CPU", True),
        ("a.cpp", "add", "registered: c10::DispatchKey::QuantizedCPU", True),
        ("a.cpp", "add", "registered: REGISTER_CPU_KERNEL", True),
        ("a.cpp", "add", "registered: DispatchKey::CUDA", False),
        ("a.cpp", "add_cuda", "calls", False),
        ("gcpuse.cpp", "gcpuse", "calls", False),
    ],
)
def test_functions_for_the_cpu(
    path: str, name: str, evidence: str, is_cpu: bool
) -> None:
    (function,) = outline_file(path, f"void {name}(int a) {{ }}").functions
    assert is_cpu_step(CallStep(function, evidence)) is is_cpu


def test_what_a_function_for_the_cpu_calls_in_its_file_is_for_it_too() -> None:
    text = "void add_cpu(int a) { helper(); }\nvoid helper() { }"
    caller, helper = outline_file("a.cpp", text).functions
    step = CallStep(caller, "bound")
    assert is_cpu_step(CallStep(helper, "calls", step))
    (elsewhere,) = outline_file("b.cpp", "void helper() { }").functions
    assert not is_cpu_step(CallStep(elsewhere, "calls", step))


CALLER = "void entry(Tensor x) { x.helper(); y->other(); }"
NO_LINK = {"a.cpp:entry": "start"}


def test_a_member_of_an_object_is_no_function_of_that_name() -> None:
    graph = graph_of({"a.cpp": CALLER, "b.cpp": "void helper() { }\nint other() { }"})
    assert reach(graph, "a.cpp", "entry") == NO_LINK


@pytest.mark.parametrize(
    "member", ["struct Tool { void helper() { } };", "void Tool::helper() { }"]
)
def test_a_member_of_an_object_is_one_of_a_class(member: str) -> None:
    graph = graph_of({"a.cpp": CALLER, "b.cpp": member})
    assert "b.cpp:Tool::helper" in reach(graph, "a.cpp", "entry")


@pytest.mark.parametrize(
    "definition",
    [
        "static void helper() { }",
        "template <class T> inline void helper(T) { }",
        "namespace { void helper() { } }",
        "namespace lib { namespace\n{ void helper() { } } }",
    ],
)
def test_a_function_of_its_own_file_is_called_from_no_other(definition: str) -> None:
    caller = "void entry() { helper(); }"
    elsewhere = graph_of({"a.cpp": caller, "b.cpp": definition})
    assert reach(elsewhere, "a.cpp", "entry") == NO_LINK

    for files in (
        {"a.cpp": f"{definition}\n{caller}"},
        {"a.cpp": caller, "b.cuh": definition},
        {"a.cpp": f'#include "lib/b.cpp"\n{caller}', "lib/b.cpp": definition},
    ):
        assert len(reach(graph_of(files), "a.cpp", "entry")) == 2


@pytest.mark.parametrize(
    "definition",
    [
        'extern "C" { void helper() { } }',
        "namespace lib { void helper() { } }",
        "template <class T> void helper(T) { }",
    ],
)
def test_other_functions_are_called_from_everywhere(definition: str) -> None:
    graph = graph_of({"a.cpp": "void entry() { helper(); }", "b.cpp": definition})
    assert len(reach(graph, "a.cpp", "entry")) == 2


def test_another_method_of_a_class_is_not_its_forward() -> None:
    text = (
        "struct Scale {\n  static int forward(int a) { return a; }\n"
        "  static int backward(int a) { return a; }\n  static int mark(int a) { return a; }\n};\n"
        "void marks() { Scale::mark(1); }\nvoid grads() { Scale::backward(1); }\n"
    )
    graph = graph_of({"a.cpp": text})
    assert list(reach(graph, "a.cpp", "marks")) == ["a.cpp:marks", "a.cpp:Scale::mark"]
    assert "a.cpp:Scale::forward" not in reach(graph, "a.cpp", "grads")
    assert "a.cpp:Scale::backward" in reach(graph, "a.cpp", "grads")


@pytest.mark.parametrize(
    ("include", "is_called"),
    [("", False), ('#include "list.h"\n', True), ('#include "all.h"\n', True)],
)
def test_a_member_is_called_where_the_header_of_its_class_is_included(
    include: str, is_called: bool
) -> None:
    files = {
        "main.cpp": f"{include}void entry(Tensor x) {{ x.size(0); tools::full(1); }}",
        "all.h": '#include "list.h"',
        "list.h": "struct List { int size() { return 1; } int full(int n) { return n; } };",
    }
    reached = reach(graph_of(files), "main.cpp", "entry")
    assert ("list.h:List::size" in reached) is is_called
    assert ("list.h:List::full" in reached) is is_called
