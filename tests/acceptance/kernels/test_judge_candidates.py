"""Candidates judged from the command line: by the index, and by a folder of exported tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from storage.open import open_storage
from workers.judging.completion_judge import CompletionJudge
from workers.judging.task_finders import FolderTasks

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = [pytest.mark.apt("bwrap"), pytest.mark.slow]
KERNEL = """\
struct Weights { float left, right; };
__device__ float weighted(Weights w, float a, float b) { return w.left * a + w.right * b; }
__global__ void blend(const float* x, const float* y, float* out, Weights w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = weighted(w, x[i], y[i]);
}
void launch_blend(const float* x, const float* y, float* out, Weights w, int n) {
  blend<<<(n + 255) / 256, 256>>>(x, y, out, w, n);
}
"""


SOURCE = KERNEL.partition("void launch")[0]


@pytest.fixture(scope="module")
def judging_home(
    another_home: Callable[[], Kernelset], tmp_path_factory: pytest.TempPathFactory
) -> Kernelset:
    folder = tmp_path_factory.mktemp("project") / "blends"
    folder.mkdir()
    (folder / "blend.cu").write_text(KERNEL)
    kernelset = another_home()
    kernelset.run("crawl", folder, "--device", "cpu", seconds=600)
    return kernelset


@pytest.fixture(scope="module")
def tests(
    another_home: Callable[[], Kernelset], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder of exported tests of the same kernel."""
    folder = tmp_path_factory.mktemp("unit")
    unit = folder / "blend.cu"
    unit.write_text("#include <kernelset/cuda.cuh>\n" + SOURCE)
    words = ("validate", unit, "--device", "cpu", "--tests", folder / "tests")
    another_home().run(*words, seconds=600)
    return folder / "tests"


def export(kernelset: Kernelset, view: str, folder: Path) -> dict[str, Any]:
    file = folder / f"{view}.jsonl"
    kernelset.run("export", view, file, "--licence", "any")
    (row,) = map(json.loads, file.read_text().splitlines())
    assert isinstance(row, dict)
    return row


def judge(
    kernelset: Kernelset,
    folder: Path,
    candidates: Iterable[Mapping[str, Any]],
    *options: object,
    code: int = 0,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rates, and the rows of the results."""
    file, results = folder / "answers.jsonl", folder / "results.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in candidates))
    words = ("judge", file, "--results", results, *options)
    rates = kernelset.rows(*words, code=code)
    return rates, [json.loads(line) for line in results.read_text().splitlines()]


def test_answers_to_exported_tasks_are_judged_by_the_index(
    judging_home: Kernelset, tmp_path: Path
) -> None:
    task = export(judging_home, "complete", tmp_path)
    other = export(judging_home, "computeeval", tmp_path)["baseline_solution"]
    name, solution = task["task_id"], task["canonical_solution"]
    whole = task["context"] + task["signature"] + solution
    answers = [
        {"task_id": name, "completion": solution},
        {"task_id": name, "completion": f"Here:\n```hip\n{whole}\n```\n"},
        {"task_id": name, "completion": whole.replace("i < n", "i < n - 1")},
        {"task_id": name, "completion": whole.replace("w.right", "w.wrong")},
        other,
        {"task_id": "0123456789abcdef/blend", "completion": whole},
    ]
    rates, rows = judge(judging_home, tmp_path, answers, "--pass-at", "1,2", code=1)

    by_number = {(row["task_id"], row["number"]): row for row in rows}
    verdicts = [
        (by_number[name, number]["pass_call"], by_number[name, number]["pass_exe"])
        for number in range(5)
    ]
    assert verdicts == [
        (True, True),
        (True, True),
        (True, False),
        (False, False),
        (True, True),
    ]
    assert "wrong" in by_number[name, 3]["call_err_msg"]
    assert "/tmp" not in by_number[name, 3]["call_err_msg"]
    assert by_number[name, 2]["exe_err_msg"]
    assert by_number["0123456789abcdef/blend", 0]["code"] == "unknown-task"
    assert [by_number[name, number]["language"] for number in (0, 4)] == ["hip", "cuda"]
    assert "licence:none" in by_number[name, 0]["groups"]

    overall = rates[0]
    assert (overall["group"], overall["candidates"], overall["pass_exe"]) == (
        "all",
        5,
        3,
    )
    assert overall["pass_at"] == {"1": pytest.approx(0.6), "2": pytest.approx(0.9)}


def test_hidden_cases_judge_and_no_prompt_shows_them(
    judging_home: Kernelset, tmp_path: Path
) -> None:
    task = export(judging_home, "complete", tmp_path)
    with open_storage(judging_home.home) as storage:
        (record,) = storage.index.records()
    hidden = {
        case.name for _, suite in record.suites for case in suite.cases if case.hidden
    }
    assert hidden

    answer = {"task_id": task["task_id"], "completion": task["canonical_solution"]}
    _, (row,) = judge(judging_home, tmp_path, [answer])
    assert {case["name"] for case in row["cases"]} >= hidden


def test_what_was_judged_is_not_judged_again(
    judging_home: Kernelset, tmp_path: Path
) -> None:
    task = export(judging_home, "complete", tmp_path)
    answer = {"task_id": task["task_id"], "completion": task["canonical_solution"]}
    _, first = judge(judging_home, tmp_path, [answer])
    # a second sample of the same text, and the end of a line that a kill cut off
    with (tmp_path / "results.jsonl").open("a") as file:
        file.write('{"schema":"kernelset.judg')
    _, both = judge(judging_home, tmp_path, [answer, answer])
    assert both[0] == first[0]
    assert both[1]["number"] == 1
    assert both[1]["pass_exe"]
    assert both[1]["compile_seconds"] == 0
    assert both[1]["seed"] == first[0]["seed"]


def test_a_folder_of_tests_judges_without_an_index(
    kernelset: Kernelset, tests: Path, tmp_path: Path
) -> None:
    rates, rows = judge(
        kernelset,
        tmp_path,
        [
            {"task_id": "test_blend", "completion": SOURCE},
            {"task_id": "test_blend", "completion": SOURCE.replace("* a", "+ a")},
            {"task_id": "test_other", "completion": SOURCE},
        ],
        "--tests",
        tests,
        "--seed",
        5,
        code=1,
    )
    verdicts = {(row["task_id"], row["number"]): row["pass_exe"] for row in rows}
    assert verdicts == {
        ("test_blend", 0): True,
        ("test_blend", 1): False,
        ("test_other", 0): None,
    }
    assert {row["seed"] for row in rows if row["pass_exe"] is not None} == {5}
    assert rates[0]["pass_at"]["1"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pass-at", "0"), "whole numbers from 1"),
        (("--device", "tpu"), "--device cpu, cuda, rocm"),
        (("--tests", "/"), "no folder of tests"),
        (("--targets", "x86"), "x86"),
        (("--tests", "/", "--targets", "gfx90a"), "leave out --tests"),
        (("--times",), "name a GPU"),
    ],
)
def test_what_cannot_be_asked_for_is_said(
    kernelset: Kernelset, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("")
    ended = kernelset.run("judge", file, *options, code=2)
    assert message in ended.stderr


def test_a_hanging_answer_costs_its_seconds_once(
    kernelset: Kernelset, tests: Path, tmp_path: Path
) -> None:
    hanging = SOURCE.replace("int i", "for (volatile int k = 0;;) ++k;\n  int i")
    answer = {"task_id": "test_blend", "completion": hanging}
    words = ("--tests", tests, "--seconds", 1)
    _, (row,) = judge(kernelset, tmp_path, [answer], *words)
    messages = [case["message"] for case in row["cases"]]
    assert messages[0] == "it took too long"
    assert set(messages[1:]) == {"it was not run: an earlier case took too long"}


def test_completions_are_judged_as_they_come_several_at_a_time(tests: Path) -> None:
    (name,) = json.loads((tests / "tests.json").read_text())
    completions = {
        "right": SOURCE,
        "again": f"The kernel:\n```cuda\n{SOURCE}```\n",
        "wrong": SOURCE.replace("i < n", "i < n - 1"),
        "broken": SOURCE.replace("w.left", "w.wrong"),
        "endless": "x" * (2 << 20),
    }
    candidates = [
        Candidate(task_id=name, number=number, completion=completion)
        for number, completion in enumerate(completions.values())
    ]
    candidates.append(Candidate(task_id="no_such_test", number=0, completion=SOURCE))

    with (
        CompletionJudge(FolderTasks(tests).find, JudgeOptions()) as judge,
        ThreadPoolExecutor(3) as pool,
    ):
        judgements = list(pool.map(judge.judge, candidates))
        repeated = judge.judge(replace(candidates[0], number=9))

    outcomes = [
        (judgement.code, judgement.pass_call, judgement.pass_exe)
        for judgement in judgements
    ]
    assert outcomes == [
        ("", True, True),
        ("", True, True),
        ("", True, False),
        ("", False, False),
        ("completion-too-long", None, None),
        ("unknown-task", None, None),
    ]
    # the same completion at the same moment runs once, and later not again
    assert sorted(judgement.run_seconds > 0 for judgement in judgements[:2]) == [
        False,
        True,
    ]
    assert judgements[1].seed == judgements[0].seed
    assert (repeated.number, repeated.pass_exe, repeated.run_seconds) == (9, True, 0.0)
    assert repeated.seed == judgements[0].seed
