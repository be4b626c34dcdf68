"""What a model wrote of a kernel in words: kept apart from all that rules make."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from crawler.dataset.redaction.sensitive_text import redact_text
from crawler.model import AttemptVerdict, CompletionAttempt

DESCRIBE: Final = "describe"
"""Purpose of the attempts that are descriptions."""
# a heading of what a model wrote, of any level: `## Instruction`, `# **Description:**`
_HEADING: Final = re.compile(
    r"^#{1,6}[ \t]*\**[ \t]*(instruction|description)\b[ \t:*]*$",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionTexts:
    """The two depths of a description."""

    instruction: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDescription:
    """A kernel in words; no rule wrote any of it, and nothing proves it."""

    written_by: str
    """`model`, always: of `instruction` and `description`."""
    model: str
    """Under which name it was asked."""
    instruction: str
    """What is to be written, in a sentence or a few."""
    description: str
    """What the kernel computes, in full, without its code."""
    vetted_by: str
    """The second model that was asked whether it is true and clear; empty where none was."""
    vetting: str
    """What that one said for it; empty without one."""


def parse_description(answer: str) -> DescriptionTexts | None:
    """Return the two texts of an answer; `None` where one of them is missing or there twice."""
    headings = list(_HEADING.finditer(answer))
    texts: dict[str, str] = {}
    for number, heading in enumerate(headings):
        is_last = number + 1 == len(headings)
        end = len(answer) if is_last else headings[number + 1].start()
        name = heading[1].lower()
        if name in texts:
            return None
        texts[name] = answer[heading.end() : end].strip()

    if not texts.get("instruction") or not texts.get("description"):
        return None
    return DescriptionTexts(**texts)


def find_description(
    attempts: Iterable[CompletionAttempt], unit: str
) -> ModelDescription | None:
    """Return the last description of a unit that nothing was said against, redacted."""
    own = [
        attempt
        for attempt in attempts
        if attempt.purpose == DESCRIBE and attempt.unit == unit
    ]
    # a text that nobody had vetted may have been objected to since
    objected = {
        attempt.answer for attempt in own if attempt.verdict is AttemptVerdict.OBJECTED
    }
    for attempt in reversed(own):
        is_vetted = attempt.verdict is AttemptVerdict.VETTED
        if not attempt.verdict.is_accepted:
            continue
        if attempt.answer in objected and not is_vetted:
            continue
        texts = parse_description(attempt.answer)
        if texts is not None:
            return _make_description(attempt, texts)
    return None


def _make_description(
    attempt: CompletionAttempt, texts: DescriptionTexts
) -> ModelDescription:
    is_vetted = attempt.verdict is AttemptVerdict.VETTED
    vetted_by = json.loads(attempt.parameters).get("vetted_by", "") if is_vetted else ""
    return ModelDescription(
        written_by="model",
        model=attempt.model,
        instruction=redact_text(texts.instruction, Counter()),
        description=redact_text(texts.description, Counter()),
        vetted_by=vetted_by,
        vetting=redact_text(attempt.messages, Counter()) if is_vetted else "",
    )
