"""Find the tasks of candidates: in the index, or in a folder of exported tests."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.judging.judging_task import JudgingTask, build_task, read_test_folder
from storage.index.query.quoting import quote_value
from storage.open import Storage

_UNKNOWN: Final = "unknown-task"
_NO_TEST: Final = "no-test"


class StoredTasks:
    """Tasks of the kernels of an index, with their hidden cases."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def find(self, task_id: str, language: str) -> JudgingTask | str:
        """Return the task of an id as the views of tasks have it; `unknown-task` where no kernel
        has it, `no-test` where the kernel came through no cases, or has no source in `language`.
        """
        _, slash, name = task_id.partition("/")
        if not slash or not name:
            return _UNKNOWN

        for record in self._storage.index.records(f"name = {quote_value(name)}"):
            if make_task_id(record) == task_id:
                task = build_task(record, language, self._storage.blobs.get)
                return task or _NO_TEST

        return _UNKNOWN


class FolderTasks:
    """Tasks of a folder of exported tests, by the names of the tests."""

    def __init__(self, folder: Path) -> None:
        self._tasks = read_test_folder(folder)

    def list_all(self) -> list[JudgingTask]:
        """Return all tasks, in the order of their tests."""
        return list(self._tasks.values())

    def find(self, task_id: str, language: str) -> JudgingTask | str:
        """Return the task of a test; `unknown-task` where none has the name, `no-test` where it is
        of another language.
        """
        task = self._tasks.get(task_id)
        if task is None:
            return _UNKNOWN
        return task if language in ("", task.language) else _NO_TEST
