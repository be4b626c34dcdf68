"""Read the prompts of an export: the views `complete` and `instruct` as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec

from crawler.errors import Misconfigured

_VIEWS: Final = ("kernelset.complete/", "kernelset.instruct/")
_MAX_LINE_BYTES: Final = 64 << 20


class Prompt(msgspec.Struct, frozen=True):
    """What a model is given of a task, and what became of the project's own solution."""

    schema: str
    task_id: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]
    prompt: str
    language: str
    """What is asked for: `HIP` or `CUDA`."""
    canonical_solution: str
    tags: tuple[str, ...] = ()
    pass_call: dict[str, str] = {}
    """Target to the best status of the solution's own builds."""


_DECODER: Final = msgspec.json.Decoder(Prompt)


def read_prompts(path: Path) -> Iterator[Prompt]:
    """Yield the prompts of a file that `export complete` or `export instruct` wrote.

    Raises `Misconfigured` where it is none; the message names the line.
    """
    try:
        file = path.open("rb")
    except OSError as problem:
        raise _refuse(path, problem.strerror or "it cannot be read") from problem

    with file:
        number = 0
        while line := file.readline(_MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > _MAX_LINE_BYTES:
                raise _refuse(path, f"line {number} has over {_MAX_LINE_BYTES} bytes")
            yield _parse_prompt(path, number, line)


def _parse_prompt(path: Path, number: int, line: bytes) -> Prompt:
    try:
        prompt = _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise _refuse(path, f"line {number}: {problem}") from problem
    if not prompt.schema.startswith(_VIEWS):
        raise _refuse(path, f"line {number} is of another view")
    return prompt


def _refuse(path: Path, reason: str) -> Misconfigured:
    return Misconfigured(
        f"{path} has no prompts: {reason}: give what `kernelset export instruct FILE.jsonl` "
        "or `export complete FILE.jsonl` wrote",
        code="bad-prompts",
    )
