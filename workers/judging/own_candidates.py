"""A kernel's own sources as candidates for its own task: what was found right is run again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from crawler.judging.candidate import Candidate
from crawler.judging.judging_task import ContentReader, JudgingTask, build_task
from crawler.model import KernelRecord


def build_own_tasks(
    record: KernelRecord, read_content: ContentReader
) -> Mapping[str, JudgingTask]:
    """Return the tasks of a kernel by their languages; none where it came through no cases."""
    languages = _list_sources(record)
    tasks = (build_task(record, language, read_content) for language in languages)
    return {task.language: task for task in tasks if task is not None}


def list_own_candidates(
    record: KernelRecord, tasks: Mapping[str, JudgingTask]
) -> list[Candidate]:
    """Return the kernel's unit, and its port, as candidates for `tasks`."""
    return list(_iter_candidates(record, tasks))


def _iter_candidates(
    record: KernelRecord, tasks: Mapping[str, JudgingTask]
) -> Iterator[Candidate]:
    sources = _list_sources(record)
    for number, (language, task) in enumerate(tasks.items()):
        yield Candidate(
            task_id=task.task_id,
            number=number,
            completion=sources[language],
            language=language,
        )


def _list_sources(record: KernelRecord) -> Mapping[str, str]:
    """Return the texts of the kernel's unit and its port by their languages."""
    units = [record.kernel.unit, *record.ports[:1]]
    return {unit.dialect.value: unit.source for unit in units if unit is not None}
