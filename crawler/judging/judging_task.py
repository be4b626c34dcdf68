"""A task that candidates are judged by: the cases of a kernel, and what its prompt gave."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crawler.dataset.programs.harness_programs import (
    JudgedUnit,
    build_judged_port,
    list_judged_units,
)
from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.dataset.prompts.solution import split_unit
from crawler.errors import Misconfigured
from crawler.model import KernelRecord, KernelUnit
from crawler.validate.harness.judge_case_file import format_word
from crawler.validate.harness.judged_test import JUDGE_FOLDER, REFERENCES_FOLDER
from crawler.validate.harness.project_folder import collect_cpu_headers, render_folder

ContentReader = Callable[[str], bytes]
"""Gives the bytes of a content by its digest."""
_SUFFIX_BY_LANGUAGE: Final = {"hip": ".hip", "cuda": ".cu"}
_CLASS_PREFIX: Final = "class:"
_MAX_LIST_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingTask:
    """One kernel that candidates are to do the work of, in one language."""

    task_id: str
    test: str
    """Name of its judged test."""
    language: str
    """`hip` or `cuda`: of the source that is asked for."""
    files: Mapping[str, bytes]
    """The judged test, with its hidden cases where it has them; headers are not among them."""
    kernel_name: str = ""
    """Qualified; empty for a task of a folder of tests."""
    context: str = ""
    """What the prompt gives in front of the kernel."""
    signature: str = ""
    """The kernel's head, which the prompt of the view `complete` ends with."""
    groups: tuple[str, ...] = ()
    """What results are counted by: `class:reduction`, `licence:permissive`."""
    hidden_cases: frozenset[str] = frozenset()
    """Names of the cases that no export shows, as the judge says them."""
    judged: JudgedUnit | None = None
    """The unit and its cases, by which candidates are timed; `None` for a folder of tests."""

    @property
    def candidate_file(self) -> str:
        """Name of the file that the judge looks for a candidate under."""
        return self.test + _SUFFIX_BY_LANGUAGE[self.language]

    @property
    def digest(self) -> str:
        """Of all that decides a verdict but the candidate: kernel, cases, program and judge."""
        state = hashlib.sha256()
        for name, content in sorted(self.files.items()):
            for part in (name.encode(), content):
                state.update(len(part).to_bytes(8, "big"))
                state.update(part)
        return state.hexdigest()


def build_task(
    record: KernelRecord, language: str, read_content: ContentReader
) -> JudgingTask | None:
    """Return the task of a kernel in `language`, or without one in HIP where there is a port that
    compiles, as prompts have it; `None` where the kernel came through no cases, or has no such
    source.
    """
    units = {
        str(judged.unit.dialect): judged
        for judged in list_judged_units(
            record, read_content, record.kernel.name, includes_hidden=True
        )
    }
    preferred = [language] if language else ["hip", "cuda"]
    for name in preferred:
        if name in units:
            return _build_task_of_unit(record, name, units[name])
    return None


def build_port_task(
    record: KernelRecord, port: KernelUnit, read_content: ContentReader
) -> JudgingTask | None:
    """Return the task of a kernel in the language of its `port`, which may be wrong itself:
    candidates are held against the kernel's own unit. `None` where it came through no cases.
    """
    judged = build_judged_port(record, port, read_content)
    return _build_task_of_unit(record, port.dialect.value, judged) if judged else None


def read_test_folder(folder: Path) -> Mapping[str, JudgingTask]:
    """Return the tasks of a folder of judged tests by the names of its tests.

    Raises `Misconfigured` where it is none.
    """
    try:
        listing = _read_bounded(folder / "tests.json", _MAX_LIST_BYTES)
        languages = json.loads(listing)
        names = {str(name): str(value) for name, value in languages.items()}
    except (OSError, ValueError, AttributeError) as problem:
        raise Misconfigured(
            f"{folder} is no folder of tests: give one that `validate --tests` wrote, or "
            "`tests` of a tree at the depth `full`",
            code="bad-tests",
        ) from problem

    return {
        name: _read_task(folder, name, language)
        for name, language in names.items()
        if language in _SUFFIX_BY_LANGUAGE
    }


def write_task(task: JudgingTask, folder: Path) -> None:
    """Write what the judge of a task reads into a new folder, with the headers of the CPU."""
    for name, content in {**task.files, **collect_cpu_headers()}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _build_task_of_unit(
    record: KernelRecord, language: str, judged: JudgedUnit
) -> JudgingTask:
    test = judged.build_judged_with_hidden()
    parts = split_unit(judged.unit)
    return JudgingTask(
        task_id=make_task_id(record),
        test=test.name,
        language=language,
        files=render_folder([test]),
        kernel_name=judged.unit.kernel_name,
        context=parts.context if parts else "",
        signature=parts.signature if parts else "",
        groups=tuple(_list_groups(record)),
        hidden_cases=frozenset(
            format_word(case.name) for case in judged.suite.cases if case.hidden
        ),
        judged=judged,
    )


def _list_groups(record: KernelRecord) -> list[str]:
    classes = [tag for tag in record.kernel.tags if tag.startswith(_CLASS_PREFIX)]
    return [*classes, f"licence:{record.kernel.licence.kind.value}"]


def _read_task(folder: Path, name: str, language: str) -> JudgingTask:
    # a name is part of paths, and the list is a stranger's
    if not name.isidentifier():
        raise Misconfigured(
            f"{folder}/tests.json names a test {name!r}, which is no name: export it again",
            code="bad-tests",
        )
    file = name + _SUFFIX_BY_LANGUAGE[language]
    own_files = (
        file,
        f"{REFERENCES_FOLDER}/{file}",
        f"{JUDGE_FOLDER}/{name}.cases",
        f"{JUDGE_FOLDER}/{name}.bytes",
    )
    try:
        files = {path: (folder / path).read_bytes() for path in own_files}
    except OSError as problem:
        raise Misconfigured(
            f"{folder} is not whole: {problem.filename} cannot be read: export it again",
            code="bad-tests",
        ) from problem
    return JudgingTask(
        task_id=name, test=name, language=language, files={**render_folder([]), **files}
    )


def _read_bounded(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{path} has over {most} bytes")
    return content
