"""Exports evaluated by the libraries that people evaluate models with, by a scripted model."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.acceptance.evaluation_model import Answer, serve_model

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

EVALUATORS = Path(os.environ.get("TESTS_EVALUATORS", "/nowhere"))
DOCUMENT = Path(__file__).parents[2] / "docs/evaluation.md"
PROGRAMS = {"inspect": "inspect/bin/inspect", "vf-eval": "verifiers/bin/vf-eval"}
pytestmark = [
    pytest.mark.apt("bwrap"),
    pytest.mark.slow,
    pytest.mark.skipif(
        not EVALUATORS.is_dir(),
        reason="TESTS_EVALUATORS names no folder of `deploy/evaluators-venv`",
    ),
]
KERNELS = """\
__global__ void scale(const float* x, float* out, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i];
}
__global__ void shift(const int* x, int* out, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + by;
}
void launch(const float* x, float* out, const int* y, int* sums, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, out, 2.5f, n);
  shift<<<(n + 255) / 256, 256>>>(y, sums, 3, n);
}
"""


@pytest.fixture(scope="module")
def evaluation_home(
    another_home: Callable[[], Kernelset], tmp_path_factory: pytest.TempPathFactory
) -> Kernelset:
    folder = tmp_path_factory.mktemp("project") / "numbers"
    folder.mkdir()
    (folder / "numbers.cu").write_text(KERNELS)
    kernelset = another_home()
    kernelset.run("crawl", folder, "--device", "cpu", seconds=600)
    return kernelset


@pytest.fixture(scope="module")
def prompts(
    evaluation_home: Kernelset, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    file = tmp_path_factory.mktemp("export") / "instruct.jsonl"
    evaluation_home.run("export", "instruct", file, "--licence", "any")
    return file


@pytest.fixture(scope="module")
def solutions(prompts: Path) -> dict[str, str]:
    """Prompt to the project's own solution, as a whole file."""
    rows = map(json.loads, prompts.read_text().splitlines())
    return {
        row["prompt"]: row["context"] + row["signature"] + row["canonical_solution"]
        for row in rows
    }


def read_command(program: str, prompts: Path) -> list[str]:
    """Return the command of a program that the document shows, for a file of prompts."""
    text = DOCUMENT.read_text()
    (line,) = (line for line in text.splitlines() if line.startswith(f"{program} "))
    words = shlex.split(line.replace("instruct.jsonl", str(prompts)))
    return [str(EVALUATORS / PROGRAMS[program]), *words[1:]]


def run_evaluator(
    kernelset: Kernelset, folder: Path, answer: Answer, *words: object
) -> str:
    with serve_model(answer) as address:
        environment = {
            **kernelset.environment,
            "LOCAL_BASE_URL": address,
            "LOCAL_API_KEY": "none",
            "NO_COLOR": "1",
        }
        program, *options = (str(word).replace("ADDRESS", address) for word in words)
        result = subprocess.run(
            [program, *options],
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=400,
            check=False,
        )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def evaluate_by_inspect(
    kernelset: Kernelset, folder: Path, answer: Answer, prompts: Path, *options: object
) -> dict[str, Any]:
    words: list[object] = [
        *read_command("inspect", prompts),
        *("--display", "plain", "--log-format", "json", "--log-dir", folder / "logs"),
    ]
    run_evaluator(kernelset, folder, answer, *words, *options)
    (file,) = (folder / "logs").glob("*.json")
    log = json.loads(file.read_text())
    assert log["status"] == "success"
    return dict(log)


def read_means(log: dict[str, Any]) -> dict[str, float]:
    return {
        score["name"]: score["metrics"]["mean"]["value"]
        for score in log["results"]["scores"]
    }


def test_inspect_measures_how_many_kernels_a_model_writes(
    evaluation_home: Kernelset, prompts: Path, solutions: dict[str, str], tmp_path: Path
) -> None:
    def answer(messages: list[dict[str, Any]]) -> str:
        solution = solutions[messages[-1]["content"]]
        return f"```\n{solution.replace('x[i] + by', 'x[i] - by')}\n```"

    log = evaluate_by_inspect(evaluation_home, tmp_path, answer, prompts)
    assert read_means(log) == {"pass_call": 1.0, "pass_exe": 0.5}
    explanations = {
        sample["id"].partition("/")[2]: sample["scores"]["verdict"]["explanation"]
        for sample in log["samples"]
    }
    assert explanations["scale"].startswith("right in ")
    assert explanations["shift"].startswith("wrong:\n")


def test_inspect_lets_a_model_mend_what_the_judge_finds(
    evaluation_home: Kernelset, prompts: Path, solutions: dict[str, str], tmp_path: Path
) -> None:
    def answer(messages: list[dict[str, Any]]) -> str:
        solution = solutions[messages[0]["content"]]
        if len(messages) == 1:
            return solution.replace("int i =", "int j =")
        assert "does not compile" in messages[-1]["content"]
        assert "undeclared identifier 'i'" in messages[-1]["content"]
        return solution

    log = evaluate_by_inspect(
        evaluation_home, tmp_path, answer, prompts, "-T", "attempts=2"
    )
    assert read_means(log) == {"pass_call": 1.0, "pass_exe": 1.0}


def test_verifiers_gives_rewards_for_what_is_right(
    evaluation_home: Kernelset, prompts: Path, solutions: dict[str, str], tmp_path: Path
) -> None:
    def answer(messages: list[dict[str, Any]]) -> str:
        solution = solutions[messages[-1]["content"]]
        return solution.replace("a * x[i]", "a * x[i] + 1")

    words: list[object] = [
        *read_command("vf-eval", prompts),
        *("--env.taskset.task.compile-reward", 0.25),
        *("--client.base-url", "ADDRESS", "--client.api-key-var", "LOCAL_API_KEY"),
        *("--no-push", "--no-rich", "--output-dir", tmp_path),
    ]
    run_evaluator(evaluation_home, tmp_path, answer, *words)

    (file,) = tmp_path.rglob("traces.jsonl")
    episodes = [json.loads(line) for line in file.read_text().splitlines()]
    rewards = {
        trace["task"]["data"]["name"]: (trace["metrics"], trace["rewards"])
        for episode in episodes
        for trace in episode["traces"]
    }
    assert rewards == {
        "scale": ({"pass_call": 1.0}, {"pass_exe": {"score": 0.25, "weight": 1.0}}),
        "shift": ({"pass_call": 1.0}, {"pass_exe": {"score": 1.0, "weight": 1.0}}),
    }
