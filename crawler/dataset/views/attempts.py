"""View `attempts`: what a model wrote of a kernel, and how that was judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crawler.dataset.interface import RowContext, View
from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.dataset.redaction.sensitive_text import redact_text
from crawler.dataset.rows.place_row import PlaceRow, to_place_row
from crawler.model import CompletionAttempt, KernelRecord

_SCHEMA_NAME: Final = "kernelset.attempts/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One try of a model at one kernel, whatever came of it."""

    schema: str
    """Name and version of this form: `kernelset.attempts/1`."""
    written_by: str
    """`model`, always: of `answer`, `source` and `reflection`."""
    place: PlaceRow
    """Where the kernel stands that it was asked about."""
    task_id: str
    """The same as in the views `complete` and `instruct`."""
    unit: str
    """Digest of the unit that the model was shown."""
    purpose: str
    """What it was asked for: `repair`, `describe` or `types`."""
    number: int
    """From 1; those that share purpose, model, parameters and unit follow one another."""
    model: str
    """Under which name it was asked."""
    parameters: str
    """What else was asked for, as JSON: temperature, tokens of an answer, targets."""
    prompt: str
    """The whole conversation that was sent, as JSON."""
    reflection: str
    """What the model thought of the attempt before this one, when it was asked."""
    answer: str
    """All that it wrote."""
    source: str
    """The source that this stands for, without the prelude of its dialect; empty for words. Of
    `types` the declarations alone.
    """
    verdict: str
    """`right`, `slow` (and right), `compiles` (and has no cases), `wrong`, `broken`, `refused`; of
    words `vetted`, `written` (and nobody vetted it), `objected`, `malformed`; `none` without
    an answer.
    """
    pass_call: dict[str, str]
    """Target to status."""
    pass_exe: dict[str, str]
    """Device to status; empty where nothing was run."""
    pass_perf: dict[str, str]
    """Device to status: of `cpu` by steps; empty where nothing that is right was run."""
    messages: str
    """The words of the compiler, the runner or the second model, as they went back to the model;
    also why the second one said yes.
    """
    code: str
    """Stable slug of why there is no answer; empty where there is one."""
    tokens_in: int
    """Of what was sent, for the answer and for the reflection."""
    tokens_out: int
    """Of what was answered."""
    cost: float
    """By the prices that were set."""


class Attempts:
    """One row for each attempt, by kernel, in the order in which they were made."""

    name = "attempts"
    summary = "one try of a model at a kernel, and how it was judged"
    order = 95
    row_type = AttemptRow
    schema_name = _SCHEMA_NAME

    def make_rows(
        self, record: KernelRecord, context: RowContext
    ) -> Iterator[AttemptRow]:
        """Yield the attempts at a record's kernel, redacted as the record is."""
        place = to_place_row(record)
        for attempt in context.list_attempts(make_task_id(record)):
            yield _make_row(place, attempt)


def _make_row(place: PlaceRow, attempt: CompletionAttempt) -> AttemptRow:
    return AttemptRow(
        schema=_SCHEMA_NAME,
        written_by="model",
        place=place,
        task_id=attempt.kernel,
        unit=attempt.unit,
        purpose=attempt.purpose,
        number=attempt.number,
        model=attempt.model,
        parameters=attempt.parameters,
        prompt=_redact(attempt.prompt),
        reflection=_redact(attempt.reflection),
        answer=_redact(attempt.answer),
        source=_redact(attempt.source),
        verdict=attempt.verdict.value,
        pass_call=dict(attempt.pass_call),
        pass_exe=dict(attempt.pass_exe),
        pass_perf=dict(attempt.pass_perf),
        messages=_redact(attempt.messages),
        code=attempt.code,
        tokens_in=attempt.tokens_in,
        tokens_out=attempt.tokens_out,
        cost=attempt.cost,
    )


def _redact(text: str) -> str:
    # models write addresses, too, and keys that they saw somewhere
    return redact_text(text, Counter())


PLUGIN: Final[View] = Attempts()
