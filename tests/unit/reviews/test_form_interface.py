"""Words and moments as labelling programs write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.errors import Misconfigured
from crawler.model import ChecklistItem, ReviewVerdict
from crawler.reviews.agreement import VerdictPair, compute_kappa
from crawler.reviews.form_interface import load_forms, read_choice, read_time

DEFAULT = 5.0
NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC).timestamp()
VERDICTS = st.sampled_from(ReviewVerdict)


@pytest.mark.parametrize(
    "word", ["needs-work", "Needs work", "NEEDS_WORK", "  needs   work "]
)
def test_a_choice_is_known_however_its_words_are_joined(word: str) -> None:
    assert read_choice(ReviewVerdict, word) is ReviewVerdict.NEEDS_WORK


@pytest.mark.parametrize(
    "value", ["", "good", None, 3, ["accepted"], "accepted!", "needs- work"]
)
def test_what_is_no_choice_is_refused_with_those_that_there_are(value: object) -> None:
    with pytest.raises(
        Misconfigured, match="none of accepted, rejected, needs-work"
    ) as raised:
        read_choice(ReviewVerdict, value)
    assert raised.value.code == "bad-review"


def test_of_a_long_word_only_its_start_is_shown() -> None:
    with pytest.raises(Misconfigured) as raised:
        read_choice(ChecklistItem, "x" * 10_000)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, DEFAULT),
        ("", DEFAULT),
        ("yesterday", DEFAULT),
        (True, DEFAULT),
        ([], DEFAULT),
        (7, 7.0),
        (0, 0.0),
        (1.5, 1.5),
        ("2026-01-02T12:00:00Z", NOON),
        ("2026-01-02T12:00:00+00:00", NOON),
        ("2026-01-02T13:30:00+01:30", NOON),
        # without a zone it is the same moment on every machine
        ("2026-01-02T12:00:00", NOON),
        ("2026-01-02 12:00:00.000000", NOON),
        ("2026-01-02", NOON - 12 * 3600),
    ],
)
def test_a_moment_is_read_or_that_of_the_file_is_taken(
    value: object, seconds: float
) -> None:
    assert read_time(value, DEFAULT) == seconds


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_a_moment_does_not_depend_on_where_it_is_read(
    monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    assert read_time("2026-01-02T12:00:00", DEFAULT) == NOON


@given(
    moment=st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2999, 1, 1)),
    hours=st.integers(-12, 14),
)
def test_every_zone_says_the_same_moment(moment: datetime, hours: int) -> None:
    seconds = moment.replace(tzinfo=UTC).timestamp()
    zone = timezone(timedelta(hours=hours))
    written = moment.replace(tzinfo=UTC).astimezone(zone).isoformat()
    assert read_time(written, DEFAULT) == seconds


def test_each_form_has_a_name_and_says_what_a_line_of_it_is() -> None:
    forms = load_forms()
    assert {"argilla", "kernelset", "label-studio"} <= set(forms)
    assert all(form.name == name and form.summary for name, form in forms.items())


PAIRS = st.lists(st.tuples(VERDICTS, VERDICTS), max_size=20)


@given(pairs=PAIRS)
def test_agreement_is_at_most_perfect_whoever_is_named_first(
    pairs: list[VerdictPair],
) -> None:
    kappa = compute_kappa(pairs)
    turned = compute_kappa([(second, first) for first, second in pairs])
    if kappa is None:
        assert turned is None
        # chance explains everything only where both always say one and the same
        assert len({verdict for pair in pairs for verdict in pair}) <= 1
    else:
        assert turned == pytest.approx(kappa)
        assert -1.0 - 1e-9 <= kappa <= 1.0 + 1e-9
        assert (kappa > 1 - 1e-9) == all(first is second for first, second in pairs)


@given(pairs=PAIRS, times=st.integers(2, 4))
def test_saying_all_of_it_again_changes_no_agreement(
    pairs: list[VerdictPair], times: int
) -> None:
    once, again = compute_kappa(pairs), compute_kappa(pairs * times)
    assert (once is None) == (again is None)
    if once is not None:
        assert again == pytest.approx(once)
