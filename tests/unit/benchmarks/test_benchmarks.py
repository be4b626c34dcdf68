"""`make bench` finds every benchmark, and each writes a report of what it really measured."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.extraction.extract_speed import extract_in_child
from benchmarks.extraction.launch_tokens import find_launch_tokens, is_declaration
from benchmarks.extraction.launches import extract_facts, measure_launches
from benchmarks.extraction.step_profile import profile_steps
from benchmarks.kernel_units.resumable_extraction import extract_resumably, read_cost
from benchmarks.kernel_units.unit_cover import UnitCover
from benchmarks.kernel_units.units import measure_package
from benchmarks.kernel_units.units_report import format_report
from crawler.builds.database.compile_database import build_compile_database

ROOT = Path(__file__).resolve().parents[3]
PROJECT = ROOT / "tests/fixtures/projects/rollers"


def run_benchmarks(*words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "benchmarks", *map(str, words)]
    ended = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == code, ended.stderr
    return ended


def test_all_are_listed_with_what_they_measure() -> None:
    listed = {
        line.split()[0]: line.split(maxsplit=1)[1]
        for line in run_benchmarks("--list").stdout.splitlines()
    }
    files = (ROOT / "benchmarks").rglob("*.py")
    assert set(listed) == {
        path.stem for path in files if "def main(" in path.read_text()
    } - {"__main__"}
    assert "by default" in listed["headers_coverage"]
    assert "by default" not in listed["corpus"]
    assert (
        "no benchmark is called speed: there is"
        in run_benchmarks("speed", code=2).stderr
    )


@pytest.mark.parametrize(
    ("words", "measured"),
    [
        (("storage_speed", "--kernels", "200"), "200 synthetic kernels"),
        pytest.param(
            ("headers_coverage", PROJECT), "files clean", marks=pytest.mark.apt
        ),
    ],
)
def test_a_report_says_how_it_came_about(
    tmp_path: Path, words: tuple[object, ...], measured: str
) -> None:
    run_benchmarks("--results", tmp_path, *words)
    (report,) = tmp_path.iterdir()
    assert report.name == f"{words[0]}.md"
    text = report.read_text()
    assert text.startswith("# ")
    assert f"python -m benchmarks {words[0]}" in text
    assert measured in text
    assert str(ROOT) not in text


def test_a_crawl_of_packages_becomes_a_table() -> None:
    line = {
        "locator": "pypi:p==1",
        "exit_codes": [0, 0],
        "seconds": [9.5, 0.9],
        "truth": 3,
        "found": 2,
        "by_ast": 1,
        "missing": ["a.cu:k"],
        "unknown": ["b.cu:false"],
        "rows": 4,
        "units": 2,
        "pass_call": {"sm_80": {"pass": 1, "fail": 1}},
        "reasons": [["compile-error", 1]],
    }
    code = "import json, sys; from benchmarks.corpus.corpus import format_report; print('\\n'.join(format_report(json.load(sys.stdin))))"
    argv = [sys.executable, "-c", code]
    output = subprocess.run(
        argv,
        cwd=ROOT,
        input=json.dumps([line]),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = [
        [cell.strip() for cell in row.strip("|").split("|")]
        for row in output.splitlines()
        if row.startswith("|")
    ]
    cells = dict(zip(rows[0], rows[2], strict=True))
    assert (cells["found of true"], cells["passes sm_80"], cells["seconds, again"]) == (
        "2 of 3",
        "1 of 2",
        "9.5 s, 0.9 s",
    )
    assert "misses `a.cu:k`" in output
    assert "shows `b.cu:false`, which nothing explains" in output


def test_an_index_is_held_against_the_truth_and_against_what_is_explained_beside_it() -> (
    None
):
    rows = [
        {"path": "csrc/bias_act.cu", "name": "false", "found_by": "ast"},
        {
            "path": "third_party/cutlass/include/cutlass/device_kernel.h",
            "name": "Kernel",
            "found_by": "syntactic",
        },
        {"path": "scripts/autogen_fna.py", "name": "{NAME}", "found_by": "string"},
    ]
    code = "import json, sys; from benchmarks.corpus.recall import measure_recall; r = measure_recall(json.load(sys.stdin), 'natten'); "
    code += "print(json.dumps([r.truth, r.found, r.by_ast, r.explained, r.unknown]))"
    argv = [sys.executable, "-c", code]
    output = subprocess.run(
        argv,
        cwd=ROOT,
        input=json.dumps(rows),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert json.loads(output) == [12, 1, 0, 1, ["csrc/bias_act.cu:false"]]


def test_a_committed_report_is_of_a_benchmark_that_exists() -> None:
    for report in (ROOT / "benchmarks/results").glob("*.md"):
        assert list((ROOT / "benchmarks").rglob(f"{report.stem}.py"))
        assert re.search(
            rf"python -m benchmarks[. ]{report.stem}\b", report.read_text()
        )


def test_launch_tokens_are_those_outside_of_comments_and_strings() -> None:
    text = (
        '// a<<<1, 2>>>()\n/* b<<<1, 2>>>() */ const char* s = "c<<<1>>>()"; auto r = R"x(d<<<1>>>())x";\n'
        "#include <<<x\n<<<<<<< merge\ne<<<1, 2>>>();\n"
        "#define M(k) \\\n  k<<<1, 2>>>(1'000)\n"
        "cudaLaunchKernel((void*)f, g, b, a, 0, s);\ncudaError_t cudaLaunchKernel(const void* f, dim3 g);\n"
        "hipLaunchKernelGGL(f, g, b, 0, s); cuLaunchKernel (f); my_cudaLaunchKernel(f);\n"
    )
    tokens = [
        token for token in find_launch_tokens(text) if not is_declaration(text, token)
    ]
    assert [(token.text, token.line, token.in_macro) for token in tokens] == [
        ("<<<", 5, False),
        ("<<<", 7, True),
        ("cudaLaunchKernel", 8, False),
        ("hipLaunchKernelGGL", 10, False),
        ("cuLaunchKernel", 10, False),
    ]
    assert [text[token.offset :].startswith(token.text) for token in tokens] == [
        True
    ] * 5


def test_an_argument_with_a_default_may_be_left_out(tmp_path: Path) -> None:
    kernel = "template <class T> __global__ void k(T* a, int n, int stride = 1) {}\n"
    (tmp_path / "a.cu").write_text(
        f"{kernel}void f(int* a) {{ k<<<1, 2>>>(a, 3); k<<<1, 2>>>(a, 3, 4); k<<<1, 2>>>(a); }}\n"
    )
    counts = measure_launches(tmp_path, extract_facts(tmp_path))
    assert (
        counts["of_templates"],
        counts["with_types"],
        counts["templates_mapped"],
    ) == (
        3,
        2,
        2,
    )


def test_every_token_of_a_tree_has_a_row_or_a_reason(tmp_path: Path) -> None:
    source = "__global__ void k(int n) {}\n#define L(n) k<<<n, 2>>>(n)\nvoid f() { L(3); other<<<1, 1>>>(); }\n"
    (tmp_path / "a.cu").write_text(source)
    counts = measure_launches(tmp_path, extract_facts(tmp_path))
    assert (counts["tokens"], counts["in_macros"], counts["lost"]) == (2, 1, [])
    assert counts["counted"] == {"row": 1, "kernel-elsewhere": 1}
    (tmp_path / "b.h").write_text("void g() { <<<; }\n")
    unread = measure_launches(tmp_path, [])
    assert unread["counted"] == {"unread-file": 2, "no row and no reason": 1}
    assert unread["lost"] == ["b.h:1: <<<"]


@pytest.mark.apt("clang++-19")
def test_units_are_compiled_once_and_what_was_measured_is_gone_on_with(
    tmp_path: Path,
) -> None:
    project, state = tmp_path / "halves-1.0", tmp_path / "state"
    project.mkdir()
    state.mkdir()
    source = "template <class T> __global__ void good(T* x) { *x = T(1); }\n__global__ void bad(int* x) { *x = x; }\n"
    (project / "a.cu").write_text(source + "void f(float* x) { good<<<1, 1>>>(x); }\n")
    first = measure_package(project, state)
    assert (first["kernels"], first["by_ast"], first["units"], first["compile"]) == (
        2,
        2,
        2,
        1,
    )
    assert (first["of_templates"], first["with_types"], first["templates_mapped"]) == (
        1,
        1,
        1,
    )
    assert (first["launch_tokens"]["tokens"], first["launch_tokens"]["counted"]) == (
        1,
        {"row": 1},
    )
    (broken,) = first["broken"]
    assert broken.startswith("a.cu:bad: compile-error: line ")
    verdicts_file = state / "halves.verdicts.jsonl"
    message = json.loads(
        next(line for line in verdicts_file.read_text().splitlines() if "line " in line)
    )[2]
    verdicts_file.write_text(verdicts_file.read_text().replace(message, "as kept"))
    again = measure_package(project, state)
    assert again["broken"] == ["a.cu:bad: compile-error: as kept"]
    lines = format_report([again])
    assert "| halves | 1 | 0 | 1 | none | 0 |" in lines
    assert {
        "- `halves: a.cu:good`",
        "- `halves: a.cu:bad: compile-error: as kept`",
    } <= set(lines)


@pytest.mark.apt("clang++-19")
def test_what_there_is_no_time_for_is_left_to_another_call(tmp_path: Path) -> None:
    project, state = tmp_path / "quick-1.0", tmp_path / "state"
    project.mkdir()
    state.mkdir()
    (project / "a.cu").write_text("__global__ void k(int* x) { *x = 1; }\n")
    extracted = measure_package(project, state)["units"]
    (state / "quick.verdicts.jsonl").unlink()
    assert (
        measure_package(project, state, deadline=0.0)["failed"]
        == "out of time: call it again to go on"
    )
    assert measure_package(project, state)["compile"] == extracted == 1


def test_a_cover_has_the_best_units_of_each_file(tmp_path: Path) -> None:
    sources = {
        "k.cuh": "#pragma once\ntemplate <class T> __global__ void fill(T* x) { *x = T(1); }\n",
        "a.cu": '#include "k.cuh"\n#include <cstdio>\nvoid a() {}\n',
        "b.cu": '#include "k.cuh"\nvoid b(float* x) { fill<<<1, 1>>>(x); }\n',
        "c.cu": "__global__ void c(int* x) { *x = 1; }\n",
        "d.cu": "__global__ void d(int* x) { *x = 1; }\n",
    }
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    database = build_compile_database(tmp_path)
    commands = [command for command in database.commands if command.file != "k.cuh"]
    cover = UnitCover(tmp_path, commands)
    assert [
        command.file for command in cover.choose_commands({"k.cuh", "c.cu"}, 1)
    ] == [
        "b.cu",
        "c.cu",
    ]
    assert [
        command.file for command in cover.choose_commands({"k.cuh", "c.cu"}, 2)
    ] == [
        "a.cu",
        "b.cu",
        "c.cu",
    ]


def test_kernels_that_nothing_uses_get_units_that_name_each_of_them(
    tmp_path: Path,
) -> None:
    sources = {
        "k.cuh": "#pragma once\n"
        + "".join(
            f"template <class T> __global__ void {name}(T* x) {{ *x = 1; }}\n"
            for name in ("one", "two", "three")
        ),
        "a.cu": '#include "k.cuh"\nvoid a(int* x) { one<<<1, 1>>>(x); }\n',
        "b.cu": '#include "k.cuh"\nvoid b(int* x) { two<<<1, 1>>>(x); }\n',
        "c.cu": '#include "k.cuh"\nvoid c(char* x) { two<<<1, 1>>>(x); }\n',
        "z.cu": '#include "k.cuh"\nvoid z(int* x) { three<<<1, 1>>>(x); }\n',
    }
    for name, text in sources.items():
        (tmp_path / name).write_text(text)
    cover = UnitCover(
        tmp_path,
        [
            command
            for command in build_compile_database(tmp_path).commands
            if command.file != "k.cuh"
        ],
    )
    kernels = {("k.cuh", name) for name in ("two", "three")}
    assert [
        command.file for command in cover.choose_further_commands(kernels, 2, {"a.cu"})
    ] == [
        "b.cu",
        "z.cu",
    ]
    assert [
        command.file
        for command in cover.choose_further_commands(kernels, 2, {"a.cu", "b.cu"})
    ] == ["c.cu", "z.cu"]


def test_an_extraction_that_ended_goes_on_where_it_was(tmp_path: Path) -> None:
    project, folder = tmp_path / "project", tmp_path / "kept"
    project.mkdir()
    for name in ("a.cu", "b.cu"):
        (project / name).write_text("__global__ void k(int* x) { *x = 1; }\n")
    first = extract_resumably(project, folder)
    assert [[kernel.name for kernel in facts.kernels] for facts in first] == [
        ["k"],
        ["k"],
    ]
    next(folder.glob("*.facts")).unlink()
    assert extract_resumably(project, folder) == first
    assert len((folder / "costs.jsonl").read_text().splitlines()) == 3
    seconds, peak = read_cost(folder)
    assert seconds >= 0
    assert peak > 1 << 20


def test_what_extraction_costs_is_told_by_step(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        "template <class T> __global__ void k(T* x) { *x = 1; }\n__global__ void l() {}\n"
    )
    commands = build_compile_database(tmp_path).commands
    (facts,), cost_of_child = extract_in_child(tmp_path, commands)
    assert [kernel.name for kernel in facts.kernels] == ["k", "l"]
    assert cost_of_child.seconds > 0
    steps = {
        label: float(share.rstrip("%"))
        for label, share in profile_steps(tmp_path, commands)
    }
    assert {"clang's parse", "closures", "uses of kernels in the AST"} <= set(steps)
    assert 95 < sum(steps.values()) < 105
