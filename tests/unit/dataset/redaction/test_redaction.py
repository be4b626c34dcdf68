"""No secret and no e-mail address leaves with a row, and nothing else is changed."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.codec import decode, encode
from crawler.dataset.redaction.redact_record import redact_record
from crawler.dataset.redaction.sensitive_text import redact_text
from crawler.model import (
    KernelRecord,
    Review,
    ReviewState,
    ReviewVerdict,
    decide_review_state,
)

RECORDS = decode(
    (Path(__file__).parents[3] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
# put together here, so that nobody takes them for real ones
AWS_KEY = "AKIA" + "IOSFODNN7EXAMPLA"
GITHUB_TOKEN = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
WEB_TOKEN = ".".join(
    [
        "eyJhbGciOiJIUzI1NiJ9",
        "eyJzdWIiOiIxMjM0NTY3ODkwIn0",
        "dozjgNryP4J3jVmNHl0w5N",
    ]
)
PRIVATE_KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAK\nj34GkxFhD90vcNLYLIn\n"
    "-----END RSA PRIVATE KEY-----"
)


@pytest.mark.parametrize(
    ("sensitive", "name"),
    [
        (AWS_KEY, "aws-key"),
        (GITHUB_TOKEN, "github-token"),
        (WEB_TOKEN, "json-web-token"),
        (PRIVATE_KEY, "private-key"),
        ("ada.lovelace+cuda@mail.example.org", "email"),
    ],
)
def test_what_is_sensitive_is_replaced_and_counted(sensitive: str, name: str) -> None:
    counts: Counter[str] = Counter()
    text = redact_text(f"// see <{sensitive}>\nint x; // {sensitive}", counts)
    mark = f"<redacted:{name}>"
    assert text == f"// see <{mark}>\nint x; // {mark}"
    assert counts == {name: 2}


@pytest.mark.parametrize(
    "text",
    [
        'asm volatile("@p0 bra L1; @%p1 mov.u32 %0, %1;" : "=r"(x) : "r"(y));',
        "reinterpret_cast<const float4*>(input)[blockIdx.x * 1024 + threadIdx.x]",
        "constexpr uint64_t kSeed = 0x9E3779B97F4A7C15ULL; // CUDA 11.8.0.89",
        "// https://github.com/NVIDIA/cub/blob/main/cub/util_ptx.cuh#L42",
        "_ZN7cutlass4gemm6kernel13DefaultGemmIfNS_6layout8RowMajorELi1EfS4_EE",
        "@torch.jit.script\ndef f(x): ...",
    ],
)
def test_code_stays_as_it_is(text: str) -> None:
    counts: Counter[str] = Counter()
    assert redact_text(text, counts) == text
    assert not counts


@pytest.mark.parametrize("piece", ["sk-", "eyJ", "eyJ=", "://", "a@a.", "ghp_"])
def test_the_time_grows_with_the_length_of_a_line_and_not_with_its_square(
    piece: str,
) -> None:
    short, long = (measure_seconds(piece * count) for count in (20_000, 80_000))
    # four times the text; with the square it would be sixteen
    assert long < 10 * short + 0.05


def measure_seconds(text: str) -> float:
    began = time.process_time()
    redact_text(text, Counter())
    return time.process_time() - began


def test_a_long_line_is_searched_whole() -> None:
    counts: Counter[str] = Counter()
    line = "x = 1; " * 1000 + f'token = "{GITHUB_TOKEN}"; ' + "y = 2; " * 1000
    assert redact_text(line, counts) == line.replace(
        GITHUB_TOKEN, "<redacted:github-token>"
    )
    assert counts == {"github-token": 1}


@given(st.text())
def test_any_text_is_taken(text: str) -> None:
    counts: Counter[str] = Counter()
    redacted = redact_text(text, counts)
    assert bool(counts) == (redacted != text)


def test_no_text_of_a_record_is_forgotten() -> None:
    record = next(record for record in RECORDS if record.ports)
    kernel, unit = record.kernel, record.kernel.unit
    assert unit
    planted = f" // {GITHUB_TOKEN}"
    whole = replace(
        record,
        kernel=replace(
            kernel,
            source=kernel.source + planted,
            unit=replace(unit, source=unit.source + planted),
        ),
        ports=tuple(
            replace(port, source=port.source + planted) for port in record.ports
        ),
    )
    redacted = redact_record(whole)
    assert GITHUB_TOKEN.encode() not in encode(redacted)
    assert redacted.redactions == (("github-token", 2 + len(record.ports)),)


def make_reviews(verdicts: dict[str, ReviewVerdict]) -> tuple[Review, ...]:
    return tuple(
        Review(unit="ab" * 32, reviewer=name, verdict=verdict, note=f"ask {name}")
        for name, verdict in verdicts.items()
    )


def test_reviewers_without_their_names_stay_as_many() -> None:
    verdicts = {
        "ada@example.org": ReviewVerdict.ACCEPTED,
        "reviewer-1": ReviewVerdict.REJECTED,
        "bob@example.org": ReviewVerdict.REJECTED,
        "eve@example.org": ReviewVerdict.ACCEPTED,
    }
    reviews = make_reviews(verdicts)
    # each says something again
    redacted = redact_record(replace(RECORDS[0], reviews=reviews * 2))
    names = [review.reviewer for review in redacted.reviews]
    assert names == ["reviewer-2", "reviewer-1", "reviewer-3", "reviewer-4"] * 2
    assert decide_review_state(redacted.reviews) is ReviewState.DISPUTED
    assert b"@example.org" not in encode(redacted)
    assert redacted.redactions == (("email", 12),)


def test_a_reviewer_is_shown_to_those_who_review_beside_them() -> None:
    (review,) = make_reviews({"ada@example.org": ReviewVerdict.ACCEPTED})
    record = replace(RECORDS[0], reviews=(review,))
    (redacted_record,) = redact_record(record, shows_reviewers=True).reviews
    assert (redacted_record.reviewer, redacted_record.note) == (
        "ada@example.org",
        "ask <redacted:email>",
    )


def test_a_record_with_nothing_sensitive_is_the_same() -> None:
    for record in RECORDS:
        assert redact_record(record) is record
