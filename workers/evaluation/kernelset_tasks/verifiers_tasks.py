"""Kernels as a taskset of verifiers, for evaluation and for training by reinforcement:
`vf-eval kernelset-tasks --env.taskset.prompts FILE`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import verifiers.v1 as vf
from openai import AsyncOpenAI

from crawler.judging.candidate import Candidate
from crawler.judging.judgement import Judgement
from workers.evaluation.prompt_file import read_prompts
from workers.evaluation.shared_judge import open_shared_judge


class KernelData(vf.TaskData):
    """A kernel to write."""

    language: str
    """`hip` or `cuda`."""


class KernelTaskConfig(vf.TaskConfig):
    """How answers are judged."""

    device: str = "cpu"
    """What kernels run on."""
    compile_reward: float = 0.0
    """Of an answer that compiles and is wrong; a right one always has 1."""


class KernelTasksetConfig(vf.TasksetConfig):
    """Where the prompts lie."""

    prompts: Path = Path("instruct.jsonl")
    """What `kernelset export instruct` or `export complete` wrote."""
    task: KernelTaskConfig = KernelTaskConfig()


class KernelTask(vf.Task[KernelData, vf.State, KernelTaskConfig]):
    """Judges an answer by the index of this machine's home, on hidden and fresh inputs too."""

    @property
    def key(self) -> str:
        """The task's id, which stays the same in every export."""
        return str(self.data.id)

    @vf.metric
    async def pass_call(self, trace: vf.Trace) -> float:
        """Return 1 for an answer that compiles."""
        judgement = await self._judge(trace)
        return float(bool(judgement.pass_call))

    @vf.reward(weight=1.0)
    async def pass_exe(self, trace: vf.Trace) -> float:
        """Return 1 for an answer that is right, `compile_reward` for one that only compiles."""
        judgement = await self._judge(trace)
        if judgement.pass_exe:
            return 1.0
        # what is refused is a cheat
        only_compiles = judgement.pass_call and not judgement.refusal
        return float(self.config.compile_reward if only_compiles else 0.0)

    async def _judge(self, trace: vf.Trace) -> Judgement:
        candidate = Candidate(
            task_id=self.key,
            number=0,
            completion=trace.last_reply,
            language=self.data.language,
        )
        judge = open_shared_judge(self.config.device)
        judgement = await judge.judge(candidate)
        if judgement.code:
            # no reward, rather than one that says something of the answer
            raise vf.TaskError(f"{self.key}: not judged: {judgement.code}")
        return judgement


class KernelTaskset(vf.Taskset[KernelTask, KernelTasksetConfig]):
    """The kernels of an export."""

    def load(self) -> Iterator[KernelTask]:
        """Yield a task for each prompt of the file."""
        for prompt in read_prompts(self.config.prompts):
            data = KernelData(
                id=prompt.task_id,
                name=prompt.task_id.partition("/")[2],
                prompt=prompt.prompt,
                language=prompt.language.lower(),
            )
            yield KernelTask(data, self.config.task)


class AnswerHarness(vf.Harness[vf.HarnessConfig]):
    """Asks once and takes the answer: nothing of it runs but in the judge's box."""

    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Send the prompt to `endpoint`, which records the exchange in `trace`."""
        _, prompt = self.resolve_text_prompt(data)
        async with AsyncOpenAI(base_url=endpoint, api_key=secret) as client:
            await client.chat.completions.create(
                model=ctx.model, messages=[{"role": "user", "content": prompt or ""}]
            )
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")
