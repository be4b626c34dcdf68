"""One judge for all that an evaluation asks, by the index of this machine's home."""

from __future__ import annotations

import asyncio
import atexit
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache

from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from crawler.judging.judging_device import resolve_device
from workers.config.configured_storage import open_configured_storage
from workers.config.setting_sources import load_settings
from workers.judging.completion_judge import CompletionJudge
from workers.judging.task_finders import StoredTasks


class SharedJudge:
    """Judges completions by the index, as many at a time as this process has cores."""

    def __init__(self, device: str) -> None:
        self._stack = ExitStack()
        settings = load_settings()
        storage = self._stack.enter_context(open_configured_storage(settings))
        options = JudgeOptions(device=resolve_device(device))
        judge = CompletionJudge(StoredTasks(storage).find, options)
        self._judge = self._stack.enter_context(judge)
        workers = len(os.sched_getaffinity(0))
        self._pool = self._stack.enter_context(ThreadPoolExecutor(workers))

    async def judge(self, candidate: Candidate) -> Judgement:
        """Return what came of a candidate, without holding up the event loop."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._judge.judge, candidate)

    def close(self) -> None:
        """Wait for what runs, and remove what was compiled."""
        self._stack.close()


@cache
def open_shared_judge(device: str) -> SharedJudge:
    """Return the judge of this process for what runs on `device`; it is closed at its end."""
    judge = SharedJudge(device)
    atexit.register(judge.close)
    return judge
