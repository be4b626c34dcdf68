"""Read candidates from a file of JSON lines, or from a folder of sources.

Whoever wrote them is a stranger: lines, files and their number are bounded.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Annotated, Final

import msgspec

from crawler.errors import Misconfigured
from crawler.judging.candidate import Candidate

MAX_COMPLETION_BYTES: Final = 1 << 20
_MAX_LINE_BYTES: Final = 8 << 20
_MAX_CANDIDATES: Final = 1_000_000
_LANGUAGE_BY_SUFFIX: Final = {".cu": "cuda", ".hip": "hip"}


class _SourceFile(msgspec.Struct):
    path: str
    content: str


class _Line(msgspec.Struct):
    """A line as HumanEval has it (`completion`), or as ComputeEval has it (`files`)."""

    # an index looks for it, and PostgreSQL takes no NUL
    task_id: Annotated[
        str, msgspec.Meta(min_length=1, max_length=1000, pattern="^[^\\x00]*$")
    ]
    completion: str | None = None
    files: tuple[_SourceFile, ...] | None = None
    language: str = ""


_LINE_DECODER: Final = msgspec.json.Decoder(_Line)


def read_candidates(path: Path) -> Iterator[Candidate]:
    """Yield the candidates of a file of JSON lines, or of a folder of sources.

    Raises `Misconfigured` where `path` is neither, or a line is no candidate; its message names
    the line.
    """
    if path.is_dir():
        yield from _read_folder(path)
    elif path.is_file():
        with path.open("rb") as file:
            yield from read_candidate_lines(file, str(path))
    else:
        raise Misconfigured(
            f"{path} is neither a file of JSON lines nor a folder: give candidates, a line "
            'each: {"task_id": …, "completion": …}',
            code="bad-candidates",
        )


def read_candidate_lines(file: IO[bytes], name: str) -> Iterator[Candidate]:
    """Yield the candidates of JSON lines that messages call `name`.

    Raises `Misconfigured` where a line is no candidate; its message names the line.
    """
    counts: Counter[str] = Counter()
    number = 0
    while line := file.readline(_MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > _MAX_LINE_BYTES:
            raise _refuse(name, number, f"it has over {_MAX_LINE_BYTES} bytes")
        if number > _MAX_CANDIDATES:
            raise _refuse(name, number, f"{_MAX_CANDIDATES} lines are the most")
        if line.strip():
            yield _parse_line(name, number, line, counts)


def _parse_line(name: str, number: int, line: bytes, counts: Counter[str]) -> Candidate:
    try:
        parsed = _LINE_DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise _refuse(name, number, str(problem)) from problem
    except RecursionError as problem:
        raise _refuse(name, number, "it is nested too deep") from problem

    if parsed.completion is None and not parsed.files:
        raise _refuse(name, number, "it has neither `completion` nor `files`")

    completion = parsed.completion
    language = parsed.language.lower()
    if completion is None:
        # ComputeEval asks for CUDA alone
        language = language or "cuda"
        completion = "\n".join(file.content for file in parsed.files or ())

    counts[parsed.task_id] += 1
    return Candidate(
        task_id=parsed.task_id,
        number=counts[parsed.task_id] - 1,
        completion=completion,
        language=language,
    )


def _read_folder(root: Path) -> Iterator[Candidate]:
    """Yield sources `NAME.cu` and `NAME.hip` of the folder and of those below it, each an answer
    to the task NAME.
    """
    counts: Counter[str] = Counter()
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(files):
            path = Path(folder, name)
            language = _LANGUAGE_BY_SUFFIX.get(path.suffix, "")
            if not language or path.is_symlink() or not path.is_file():
                continue

            with path.open("rb") as file:
                content = file.read(MAX_COMPLETION_BYTES + 1)
            counts[path.stem] += 1
            yield Candidate(
                task_id=path.stem,
                number=counts[path.stem] - 1,
                completion=content.decode("utf-8", "replace"),
                language=language,
            )


def _refuse(name: str, number: int, reason: str) -> Misconfigured:
    return Misconfigured(
        f"{name}, line {number}: {reason}: a line is a candidate, "
        'as {"task_id": …, "completion": …}',
        code="bad-candidates",
    )
