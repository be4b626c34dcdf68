"""Find the source in a completion: what a model writes is more, or less, than a file."""

from __future__ import annotations

import re
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.judging.judging_task import JudgingTask
from crawler.validate.harness.prelude_text import split_prelude

# what a model wrote: Markdown, as far as its fences go
_FENCE: Final = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*$", re.MULTILINE)
# masked code, cut into what stands between these
_STATEMENT_END: Final = re.compile("[;{}]")
_QUALIFIER: Final = re.compile(r"\b__global__\b")
# the line that a prompt has asked for
_CONTEXT_INCLUDE: Final = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*"(?:include/)?kernel_context\.h"[^\n]*\n?',
    re.MULTILINE,
)


def find_source(completion: str, task: JudgingTask) -> str:
    """Return the source that a completion stands for.

    Of Markdown it is the longest fenced block. Where that includes `kernel_context.h`, as
    ComputeEval's solutions do, the task's context stands there. Where it does not define the
    task's kernel, it goes on where the prompt of the view `complete` ends.
    """
    text = find_longest_block(completion)
    text = _CONTEXT_INCLUDE.sub(lambda _: task.context, text, count=1)

    if task.signature and not _defines_kernel(text, task.kernel_name):
        text = f"{task.context}{task.signature}\n{text}"

    # the program that runs it has the prelude already
    _, body = split_prelude(text)
    return body


def find_longest_block(completion: str) -> str:
    """Return the longest fenced block of a completion; all of it where it has none."""
    blocks: list[str] = []
    opening: re.Match[str] | None = None

    for fence in _FENCE.finditer(completion):
        if opening is None:
            opening = fence
        elif fence[1].startswith(opening[1]):
            blocks.append(completion[opening.end() + 1 : fence.start()])
            opening = None

    # an answer that was cut off has no end of its last block
    if opening is not None:
        blocks.append(completion[opening.end() + 1 :])

    return max(blocks, key=len, default=completion)


def _defines_kernel(text: str, kernel_name: str) -> bool:
    name = re.escape(kernel_name.rpartition("::")[2])
    # one look at each statement's head: an expression over all of them would go back and forth
    head = re.compile(rf"\b__global__\b(?:.*\W)?{name}\s*\(", re.DOTALL)
    heads = _STATEMENT_END.split(MaskedSource(text).code)
    return any(_begins_at_qualifier(part, head) for part in heads)


def _begins_at_qualifier(statement: str, head: re.Pattern[str]) -> bool:
    qualifier = _QUALIFIER.search(statement)
    return (
        qualifier is not None and head.match(statement, qualifier.start()) is not None
    )
