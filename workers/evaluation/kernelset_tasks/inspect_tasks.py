"""Kernels as a task of Inspect: `inspect eval kernelset_tasks/kernels -T prompts=FILE`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import (
    Score,
    Scorer,
    Target,
    mean,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

from crawler.judging.candidate import Candidate
from crawler.judging.judgement import Judgement
from workers.evaluation.feedback import describe_judgement
from workers.evaluation.prompt_file import Prompt, read_prompts
from workers.evaluation.shared_judge import open_shared_judge

_RATES: Any = {"pass_call": [mean(), stderr()], "pass_exe": [mean(), stderr()]}


@task
def kernels(prompts: str, device: str = "cpu", attempts: int = 1) -> Task:
    """Return the kernels of an export as a task.

    `prompts` is a file of `kernelset export instruct` or `complete`; answers are judged by the
    index of this machine's home, on hidden cases and fresh inputs too. With `attempts` above 1, a
    model is told what is wrong with its answer and may write another.
    """
    samples = [_make_sample(prompt) for prompt in read_prompts(Path(prompts))]
    return Task(
        dataset=MemoryDataset(samples, name=Path(prompts).stem, location=prompts),
        solver=answer(device, attempts),
        scorer=verdict(device),
        metadata={"device": device, "attempts": attempts},
    )


@solver
def answer(device: str = "cpu", attempts: int = 1) -> Solver:
    """Let the model answer, and answer again with what is wrong until `attempts` are used up."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state = await generate(state)
        for _ in range(attempts - 1):
            judgement = await _judge(state, device)
            if judgement.pass_exe or judgement.code:
                break
            state.messages.append(ChatMessageUser(content=_ask_again(judgement)))
            state = await generate(state)
        return state

    return solve


@scorer(metrics=_RATES)
def verdict(device: str = "cpu") -> Scorer:
    """Return 1 for an answer that compiles, and 1 for one that is right; what could not be judged
    has no score.
    """

    async def score(state: TaskState, target: Target) -> Score | None:
        judgement = await _judge(state, device)
        if judgement.code:
            return Score.unscored(explanation=describe_judgement(judgement))
        return Score(
            value={
                "pass_call": float(bool(judgement.pass_call)),
                "pass_exe": float(bool(judgement.pass_exe)),
            },
            answer=state.output.completion,
            explanation=describe_judgement(judgement),
            metadata={
                "refusal": judgement.refusal,
                "fresh_inputs": judgement.fresh_inputs,
                "seed": judgement.seed,
                "source": judgement.source,
            },
        )

    return score


async def _judge(state: TaskState, device: str) -> Judgement:
    candidate = Candidate(
        task_id=str(state.sample_id),
        # epochs count from 1
        number=state.epoch - 1,
        completion=state.output.completion,
        language=str(state.metadata["language"]),
    )
    return await open_shared_judge(device).judge(candidate)


def _ask_again(judgement: Judgement) -> str:
    problem = describe_judgement(judgement)
    return f"Your kernel {problem}\n\nWrite the whole answer again, with this mended."


def _make_sample(prompt: Prompt) -> Sample:
    return Sample(
        id=prompt.task_id,
        input=prompt.prompt,
        target=prompt.canonical_solution,
        metadata=dict(_list_metadata(prompt)),
    )


def _list_metadata(prompt: Prompt) -> Iterator[tuple[str, Any]]:
    yield "language", prompt.language.lower()
    yield "tags", list(prompt.tags)
