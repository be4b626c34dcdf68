"""What several passes over one unit show is one list of uses and of kernels."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.link import link_commit, link_kernels
from crawler.extract.passes.merge_passes import collect_kernels, merge_uses
from crawler.extract.passes.parse_pass import ParsePass, read_pass
from crawler.extract.unit.translation_unit import TranslationUnit, load_translation_unit
from crawler.model import KernelFacts, Layer, UnitFacts

KERNEL = "template <class T> __global__ void scale(T *x) { x[0] = x[0] * T(2); }\n"
ON_HOST = "#ifndef __CUDA_ARCH__\nvoid host(int *x) { scale<<<1, 1>>>(x); }\n#endif\n"
ON_BOTH = "#ifdef __CUDA_ARCH__\n#endif\nvoid both(float *x) { scale<<<1, 1>>>(x); }\n"

Load = Callable[[str], TranslationUnit]


@pytest.fixture
def load(project: Callable[..., Any]) -> Load:
    def load_text(text: str) -> TranslationUnit:
        planted = project({"a.cu": text})
        root: Path = planted.root
        return load_translation_unit(root, planted.commands[0], SourceFiles(root))

    return load_text


@pytest.fixture
def facts_of(project: Callable[..., Any]) -> Callable[[str], UnitFacts]:
    def extract(text: str) -> UnitFacts:
        (facts,) = project({"a.cu": text}).facts()
        assert isinstance(facts, UnitFacts)
        return facts

    return extract


def read_both_passes(unit: TranslationUnit) -> list[ParsePass]:
    device_pass = read_pass(unit.reparse_for_device(), unit)
    host_pass = read_pass(unit.reparse_for_host(), unit)
    return [device_pass, host_pass]


def test_a_use_of_both_passes_counts_once(load: Load) -> None:
    passes = read_both_passes(load(KERNEL + ON_BOTH))
    assert all(parse_pass.uses for parse_pass in passes)
    assert list(merge_uses(passes)) == list(passes[0].uses)


def test_a_use_of_the_second_pass_comes_behind_those_of_the_first(load: Load) -> None:
    passes = read_both_passes(load(KERNEL + ON_BOTH + ON_HOST))
    functions = [use.enclosing_function for use in merge_uses(passes) if use.path]
    assert functions == ["both", "host"]


def test_only_wanted_kernels_have_closures(load: Load) -> None:
    unit = load(KERNEL + "__global__ void other(int *x) { x[0] = 1; }\n" + ON_BOTH)
    passes = read_both_passes(unit)

    def collect(*wanted_facts: KernelFacts) -> dict[str, KernelFacts]:
        spans = [kernel.span for kernel in wanted_facts] or None
        uses = merge_uses(passes)
        start = time.process_time()
        kernels = collect_kernels(
            passes, uses, unit.root, unit.command, unit.unit_text, start, bool, spans
        )
        return {kernel.name: kernel for kernel in kernels}

    everything = collect()
    assert all(kernel.closure for kernel in everything.values())
    wanted_facts = collect(everything["scale"])
    assert wanted_facts["scale"] == everything["scale"]
    assert wanted_facts["other"].closure is None


def test_where_passes_resolve_a_name_otherwise_the_first_one_counts(
    load: Load,
) -> None:
    text = (
        "#ifdef __CUDA_ARCH__\n"
        "template <class T> __global__ void pick(T *x) { x[0] = 1; }\n"
        "#else\n"
        "template <class T> __global__ void pick(T *x) { x[0] = 2; }\n"
        "#endif\n"
        "void run(int *x) { pick<int><<<1, 1>>>(x); }\n"
    )
    passes = read_both_passes(load(text))
    targets = {use.target for use in merge_uses(passes) if use.path}
    assert targets == {use.target for use in passes[0].uses if use.path}
    assert len(targets) == 1


def test_kernels_of_both_passes_are_listed_once(
    facts_of: Callable[[str], UnitFacts],
) -> None:
    text = KERNEL + ON_BOTH + ON_HOST
    facts = facts_of(text)
    assert [kernel.name for kernel in facts.kernels] == ["scale"]
    (kernel,) = facts.kernels
    arguments = {instantiation.arguments for instantiation in kernel.instantiations}
    assert arguments == {("float",), ("int",)}


def test_a_kernel_that_only_the_device_sees_is_listed(
    facts_of: Callable[[str], UnitFacts],
) -> None:
    text = (
        "__global__ void always(int *x) { x[0] = 1; }\n"
        "#ifdef __CUDA_ARCH__\n__global__ void device_only(int *x) { x[0] = 2; }\n#endif\n"
    )
    kernels = {kernel.name: kernel for kernel in facts_of(text).kernels}
    assert kernels.keys() == {"always", "device_only"}
    assert {kernel.found_by for kernel in kernels.values()} == {Layer.AST}


def test_kernels_behind_one_that_takes_for_ever_are_listed_with_a_reason(
    facts_of: Callable[[str], UnitFacts], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawler.extract.passes.merge_passes._MAX_CLOSURE_SECONDS", 0.0)
    facts = facts_of(KERNEL + ON_BOTH)

    (linked,) = link_kernels([facts])
    assert linked.name == "scale"
    assert linked.found_by is Layer.AST
    assert linked.launches
    assert linked.unit is None
    assert linked.unit_problem.startswith("closure-timeout: ")


def test_words_of_a_pass_lead_to_its_launches(load: Load) -> None:
    unit = load(KERNEL + "void first(int *x) { scale<<<1, 1>>>(x); }\n")
    words = read_pass(unit.clang_unit, unit).list_launch_words()
    assert {"scale", "first", "<<<"} <= words
    assert "" not in words


def test_plain_kernels_are_known_by_name(load: Load) -> None:
    unit = load(KERNEL + "__global__ void bare(int *x) { x[0] = 1; }\n")
    assert read_pass(unit.clang_unit, unit).plain_kernel_names == {"bare"}


@pytest.mark.parametrize(
    ("flags", "defines"),
    [
        (("-DA", "-DB=2"), ("A", "B=2")),
        (("-D", "A=1", "-DB"), ("B", "A=1")),
        (("-UA",), ()),
    ],
)
def test_defines_of_a_command_line(
    project: Callable[..., Any], flags: tuple[str, ...], defines: tuple[str, ...]
) -> None:
    planted = project({"a.cu": "int a;\n"}, *flags)
    root: Path = planted.root
    unit = load_translation_unit(root, planted.commands[0], SourceFiles(root))
    assert read_pass(unit.clang_unit, unit).context.defines == defines


def test_a_marker_that_the_command_line_defines_heads_a_kernel(
    project: Callable[..., Any],
) -> None:
    text = "KERNEL void marked(int *x) { x[0] = 1; }\n"
    (facts,) = project({"a.cu": text}, "-DKERNEL=__global__").facts()
    assert [kernel.name for kernel in facts.kernels] == ["marked"]


def test_a_marker_that_is_pasted_together_heads_a_kernel(
    project: Callable[..., Any],
) -> None:
    text = (
        "#define PASTE(a, b) a##b\n#define KERNEL PASTE(__glo, bal__)\n"
        "KERNEL void pasted(int *x) { x[0] = 1; }\n"
    )
    (facts,) = project({"a.cu": text}).facts()
    assert [kernel.name for kernel in facts.kernels] == ["pasted"]


def test_of_builds_that_differ_by_macros_a_unit_is_of_the_plainest(
    project: Callable[..., Any],
) -> None:
    text = """__global__ void k(float* x) {
#ifndef LOOSE
  __syncthreads();
#endif
  x[0] = 1;
}
void run(float* x) { k<<<1, 1>>>(x); }
"""
    special, plain = (
        project({"a.cu": text}, "-DLOOSE").facts(),
        project({"a.cu": text}).facts(),
    )
    for order in ((*special, *plain), (*plain, *special)):
        (kernel,) = link_commit(order).kernels
        assert kernel.unit is not None
        assert "#define LOOSE" not in kernel.unit.source
