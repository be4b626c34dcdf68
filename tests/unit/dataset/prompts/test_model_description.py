"""A model's words of a kernel stand in a column of their own, and are of that very unit."""

from __future__ import annotations

from dataclasses import replace

from crawler.codec import to_builtins
from crawler.dataset.interface import RowContext
from crawler.dataset.prompts.model_description import find_description
from crawler.dataset.views.complete import PLUGIN as COMPLETE
from crawler.dataset.views.instruct import PLUGIN as INSTRUCT
from crawler.model import AttemptVerdict, CompletionAttempt
from tests.run_records import make_run_records

ATTEMPT = CompletionAttempt(
    series="s",
    kernel="0/k",
    unit="u",
    purpose="describe",
    number=1,
    model="m",
    parameters='{"vetted_by":"second"}',
    answer="# Instruction\nWrite `k`, says ada@lovelace-family.org.\n"
    "# Description\nIt halves.",
    verdict=AttemptVerdict.VETTED,
    messages="It is true.",
)


def test_the_last_accepted_one_of_the_unit_counts() -> None:
    written = replace(ATTEMPT, model="n", verdict=AttemptVerdict.WRITTEN, messages="")
    other_attempts = (
        replace(ATTEMPT, unit="v"),
        replace(ATTEMPT, purpose="repair", verdict=AttemptVerdict.RIGHT),
        replace(ATTEMPT, answer="hm", verdict=AttemptVerdict.OBJECTED),
        replace(ATTEMPT, verdict=AttemptVerdict.MALFORMED),
        replace(ATTEMPT, verdict=AttemptVerdict.NONE, code="endpoint-busy"),
    )
    assert find_description(other_attempts, "u") is None
    description = find_description((ATTEMPT, *other_attempts), "u")
    assert description
    assert (description.written_by, description.model, description.description) == (
        "model",
        "m",
        "It halves.",
    )
    assert (description.vetted_by, description.vetting) == ("second", "It is true.")
    assert "lovelace" not in description.instruction
    description = find_description((ATTEMPT, written, *other_attempts), "u")
    assert description
    assert (description.model, description.vetted_by, description.vetting) == (
        "n",
        "",
        "",
    )


def test_what_was_objected_to_since_is_not_shown() -> None:
    written = replace(ATTEMPT, model="n", verdict=AttemptVerdict.WRITTEN)
    objected = replace(ATTEMPT, verdict=AttemptVerdict.OBJECTED)
    assert find_description((written, objected), "u") is None
    assert find_description((objected, written), "u") is None
    # another second model may say yes to it
    description = find_description((written, objected, ATTEMPT), "u")
    assert description
    assert description.vetted_by == "second"


def test_no_other_column_of_a_prompt_changes_by_it() -> None:
    record = make_run_records()[0]
    for view in (COMPLETE, INSTRUCT):
        (plain,) = view.make_rows(record, RowContext())
        attempts = [replace(ATTEMPT, unit=plain.unit)]
        context = RowContext(list_attempts={plain.task_id: attempts}.__getitem__)
        (described,) = view.make_rows(record, context)
        assert plain.model_description is None
        assert described.model_description.description == "It halves."
        assert {
            **to_builtins(described),
            "model_description": None,
        } == to_builtins(plain)
