"""Hostile and broken files: what a compiler cannot take costs one unit at most, and its kernels
are still seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from crawler.cpp import language_standard
from crawler.cpp.files.functions import find_functions
from crawler.cpp.files.source_text import SourceText
from crawler.extract.clang.precompiled_preludes import PreludeVariant, prepare_prelude
from crawler.extract.link import link_kernels
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.extract.syntax.kernel_definitions import find_kernel_definitions
from crawler.extract.syntax.launch_syntax import find_launches
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import Layer, UnitFacts

KERNEL = (
    "__global__ void k(float* a) { a[0] = 1; }\nvoid f(float* a) { k<<<1, 2>>>(a); }\n"
)
BROKEN: dict[str, str | bytes] = {
    "comment": KERNEL + "/* never closed",
    "string": KERNEL + 'const char* s = "never closed\nint after;\n',
    "raw_string": KERNEL + 'const char* s = R"x(never closed',
    "brace": KERNEL + "void g() { if (1) {",
    "parenthesis": KERNEL + "void g(int a, ",
    "no_end": KERNEL + "#if 1\n#if 2\n",
    "self": KERNEL.replace(
        "__global__",
        '#ifndef ONCE\n#define ONCE\n#include "self.cu"\n#endif\n__global__',
    ),
    "loop": '#include "loop.cu"\n' + KERNEL,
    "missing": '#include "not/here.h"\n#include <neither/here.cuh>\n' + KERNEL,
    "bytes": KERNEL.encode() + b'// \xff\xfe\xe9 latin\nconst char* s = "\xc3\x28";\n',
    "nul": KERNEL.encode() + b"int a\0b;\n\0\0\n",
    "bom": b"\xef\xbb\xbf" + KERNEL.encode(),
    "returns": KERNEL.replace("\n", "\r\n"),
    "error": "#error this project's compiler is another\n" + KERNEL,
    "undefined": KERNEL
    + "UNKNOWN_MACRO(x, y)\ntemplate <typename> struct Missing<int>::Other {};\n",
    "deep": KERNEL + "int x = " + "(" * 5_000 + "1" + ")" * 5_000 + ";\n",
    "deep_templates": KERNEL
    + "template <int N> struct G : G<N - 1> {};\nint q = G<100000>::v;\n",
    "endless_templates": KERNEL
    + "template <int N> void r() { r<N + 1>(); r<N + 2>(); }\nvoid z() { r<0>(); }\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_behind_a_kernel_does_not_hide_it(
    project: Callable[..., Any], name: str
) -> None:
    planted = project({f"{name}.cu": BROKEN[name]})
    (facts,) = planted.facts()
    assert [(kernel.name, kernel.found_by) for kernel in facts.kernels] == [
        ("k", Layer.AST)
    ]
    (launch,) = facts.launches
    assert (launch.launch.grid, launch.launch.enclosing) == ("1", "f")
    content = (planted.root / f"{name}.cu").read_bytes()
    span = facts.kernels[0].span
    assert content[span.offset : span.end_offset].startswith(b"__global__ void k")


def test_a_missing_include_is_a_diagnostic_and_stops_nothing(
    project: Callable[..., Any],
) -> None:
    (facts,) = project({"missing.cu": BROKEN["missing"]}).facts()
    assert [
        (diagnostic.severity, diagnostic.path, diagnostic.line)
        for diagnostic in facts.diagnostics
    ] == [
        ("error", "missing.cu", 1),
        ("error", "missing.cu", 2),
    ]


def test_a_file_that_is_not_there_fails_by_name(project: Callable[..., Any]) -> None:
    planted = project({"gone.cu": KERNEL})
    (planted.root / "gone.cu").unlink()
    facts = extract_unit_facts(planted.root, planted.commands[0])
    assert facts.failure == "parse-failed"
    assert facts.kernels == ()


def test_a_large_file_is_read_whole(project: Callable[..., Any]) -> None:
    began = time.monotonic()
    (facts,) = project({"large.cu": "/*" + "x" * 10_000_000 + "*/\n" + KERNEL}).facts()
    assert [kernel.found_by for kernel in facts.kernels] == [Layer.AST]
    assert facts.kernels[0].span.line == 2
    assert time.monotonic() - began < 60


@pytest.fixture(scope="module")
def batch(project: Callable[..., Any]) -> dict[str, UnitFacts]:
    """Three units by one child, the second of which clang cannot survive or nearly cannot."""
    chain = "".join(f"#define M{index} M{index + 1}\n" for index in range(30_000))
    files = {
        "a_first.cu": KERNEL,
        "b_chain.cu": KERNEL + chain + "#define M30000 1\nint z = M0;\n",
        "c_last.cu": KERNEL,
    }
    planted = project(files)
    return {
        facts.command.file: facts
        for facts in extract_batch_facts(planted.root, planted.commands)
    }


def test_a_unit_that_kills_the_child_costs_itself_alone(
    batch: dict[str, UnitFacts],
) -> None:
    assert list(batch) == ["a_first.cu", "b_chain.cu", "c_last.cu"]
    for name in ("a_first.cu", "c_last.cu"):
        assert batch[name].failure == ""
        assert [kernel.found_by for kernel in batch[name].kernels] == [Layer.AST]
    hostile = batch["b_chain.cu"]
    assert [kernel.name for kernel in hostile.kernels] == ["k"]
    assert len(hostile.launches) == 1
    assert hostile.kernels[0].reason == hostile.failure


def test_a_unit_is_bounded_by_what_it_takes_of_a_processor(
    project: Callable[..., Any],
) -> None:
    turning = "constexpr int turned() { int n = 0; for (long at = 0; at < 3'000'000'000; ++at) n += at % 3; return n; }\n"
    text = f"{turning}constexpr int kept = turned();\n__global__ void k(int* out) {{ out[0] = kept; }}\n"
    planted = project({"turning.cu": text}, "-fconstexpr-steps=2147483647")
    (facts,) = extract_batch_facts(planted.root, planted.commands, cpu_seconds=4)
    assert (facts.failure, [kernel.name for kernel in facts.kernels]) == (
        "parse-timeout",
        ["k"],
    )


def test_a_unit_over_its_time_is_seen_by_syntax(project: Callable[..., Any]) -> None:
    planted = project({"slow.cu": KERNEL})
    (facts,) = extract_batch_facts(planted.root, planted.commands, cpu_seconds=0.01)
    assert facts.failure == "parse-timeout"
    assert [
        (kernel.name, kernel.found_by, kernel.reason) for kernel in facts.kernels
    ] == [
        ("k", Layer.SYNTACTIC, "parse-timeout"),
    ]
    (launch,) = facts.launches
    assert (launch.launch.found_by, launch.launch.enclosing) == (Layer.SYNTACTIC, "f")


@pytest.mark.parametrize(
    "content",
    [
        KERNEL + "__global__ void z(" * 20_000,
        KERNEL + "__global__ void z() {" * 2_000,
        KERNEL + "k<<<1, 2>>>(" * 10_000,
        KERNEL + "hipLaunchKernelGGL(" * 20_000 + ")" * 20_000,
        KERNEL + "a < b > " * 50_000,
        "namespace a {" * 10_000 + KERNEL + "}" * 10_000,
        "(" * 100_000 + KERNEL,
    ],
    ids=["heads", "bodies", "launches", "calls", "angles", "namespaces", "parentheses"],
)
def test_the_syntactic_layer_takes_no_more_than_its_share_of_time(
    text: Callable[[str], SourceText], content: str
) -> None:
    source = text(content)
    began = time.process_time()
    assert "k" in {kernel.name for kernel in find_kernel_definitions(source)}
    find_launches(source)
    find_functions(source)
    assert time.process_time() - began < 10


def test_a_long_table_before_a_kernel_does_not_hide_it(
    project: Callable[..., Any],
) -> None:
    table = "const int kTable[] = {\n" + "  1,\n" * 100_000 + "};\n"
    (facts,) = project({"table.cu": table + KERNEL}).facts()
    assert [(kernel.name, kernel.found_by) for kernel in facts.kernels] == [
        ("k", Layer.AST)
    ]


def test_trigraphs_that_the_standard_no_longer_has_cost_the_ast_at_most(
    project: Callable[..., Any],
) -> None:
    trigraphs = "??=define ONE 1\nint a??(ONE??);\n// a comment ??/\n still it\n"
    (facts,) = project({"trigraphs.cu": trigraphs + KERNEL}).facts()
    assert [kernel.name for kernel in facts.kernels] == ["k"]


@pytest.mark.parametrize("flag", ["-std=c++17", "-std=c++20", "-std=c++2b"])
def test_the_prelude_is_precompiled_for_every_standard(
    project: Callable[..., Any], flag: str
) -> None:
    (facts,) = project({"k.cu": KERNEL}, flag).facts()
    assert facts.diagnostics == ()
    assert [kernel.found_by for kernel in facts.kernels] == [Layer.AST]
    assert prepare_prelude(
        PreludeVariant(
            torch=False,
            device=None,
            standard=language_standard.requested_standard([flag]),
        )
    )


NOISE = "{}()<>\"'#\\\0\xff"
MUTATIONS: dict[str, Callable[[str, Random], str]] = {
    "cut": lambda text, chance: text[: chance.randrange(len(text))],
    "dropped": lambda text, chance: "".join(
        character for character in text if chance.random() > 0.01
    ),
    "doubled": lambda text, chance: "\n".join(
        line for line in text.split("\n") for _ in range(chance.choice((1, 1, 2)))
    ),
    "shuffled": lambda text, chance: "\n".join(
        chance.sample(text.split("\n"), text.count("\n") + 1)
    ),
    "noise": lambda text, chance: "".join(
        chance.choice("{}()<>\"'#\\\0\xff") if chance.random() < 0.01 else character
        for character in text
    ),
    "returns": lambda text, _: text.replace("\n", "\r\n"),
    "old_returns": lambda text, _: text.replace("\n", "\r"),
    "joined": lambda text, _: text.replace("\n", "\\\n"),
}


def test_mutated_sources_never_cost_more_than_themselves(
    project: Callable[..., Any],
) -> None:
    """Real-shaped sources cut, torn and shuffled: one child survives or is replaced, and every
    unit is answered.
    """
    chance = Random(4)
    shaped = sorted((Path(__file__).parents[3] / "fixtures/projects").rglob("*.cu*"))[
        :4
    ]
    files = {
        f"{name}_{number}.cu": mutate(path.read_text("utf-8"), chance).encode(
            "latin-1", "replace"
        )
        for name, mutate in MUTATIONS.items()
        for number, path in enumerate(shaped)
    }
    whole = {"zz_whole.cu": KERNEL}
    planted = project({**files, **whole})
    answers = list(extract_batch_facts(planted.root, planted.commands, cpu_seconds=60))
    assert [facts.command.file for facts in answers] == [*files, *whole]
    assert [(kernel.name, kernel.found_by) for kernel in answers[-1].kernels] == [
        ("k", Layer.AST)
    ]
    for facts in answers:
        content = (planted.root / facts.command.file).read_bytes()
        for kernel in facts.kernels:
            assert 0 <= kernel.span.offset < kernel.span.end_offset <= len(content)
    link_kernels(answers)


ENDLESS = """template <int Deep, int At> struct Tree {
  static constexpr long value = Tree<Deep - 1, 2 * At>::value + Tree<Deep - 1, 2 * At + 1>::value;
};
template <int At> struct Tree<0, At> { static constexpr long value = At; };
template <int size> __global__ void never_used(long* a) { a[0] = Tree<40, size>::value; }
"""


def test_what_is_made_up_for_a_template_costs_no_unit(
    project: Callable[..., Any],
) -> None:
    planted = project({"a.cu": KERNEL + ENDLESS})
    (facts,) = extract_batch_facts(planted.root, planted.commands, cpu_seconds=5)
    assert facts.failure == ""
    assert {(kernel.name, kernel.found_by) for kernel in facts.kernels} == {
        ("k", Layer.AST),
        ("never_used", Layer.AST),
    }
    assert len(facts.launches) == 1
