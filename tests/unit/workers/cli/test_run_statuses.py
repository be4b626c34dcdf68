"""A status that says less than it seems to is never shown without what it means."""

from __future__ import annotations

from workers.cli.run_statuses import (
    describe_run_counts,
    iter_status_notes,
    spell_out_status,
)


def test_consistent_is_spelled_out_and_pass_needs_no_words() -> None:
    assert spell_out_status("consistent") == (
        "consistent [agrees with itself; meaning not proven]"
    )
    assert spell_out_status("pass") == "pass"


def test_counts_are_spelled_out_where_they_have_to_be() -> None:
    assert describe_run_counts({"consistent": 2, "fail": 1}) == (
        "consistent 2 [agrees with itself; meaning not proven], fail 1"
    )


def test_each_status_is_explained_once() -> None:
    notes = list(iter_status_notes(["pass", "consistent", "consistent"]))
    assert notes == ["consistent: agrees with itself; meaning not proven"]
