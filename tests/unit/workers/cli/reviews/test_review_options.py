"""Options of `kernelset review`: who, which unit, what of the checklist, and remarks at lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.errors import Misconfigured
from crawler.model import ChecklistItem, ReviewComment, ReviewedPart
from storage.in_memory.index import InMemoryKernelIndex
from storage.interfaces import KernelIndex
from tests.unit.storage.samples import REPO, make_kernel, make_unit
from workers.cli.reviews.review_options import (
    choose_reviewer,
    find_unit,
    parse_comment,
    parse_items,
)
from workers.config.settings import Settings

DIGESTS = ("abcd0" + "0" * 59, "abcd1" + "0" * 59, "1234" + "f" * 60)


@pytest.fixture
def index() -> KernelIndex:
    index = InMemoryKernelIndex()
    index.put_kernels(
        REPO,
        [
            make_kernel(f"kernel_{number}", number, unit=make_unit(name, digest=name))
            for number, name in enumerate((*DIGESTS, DIGESTS[0]))
        ],
    )
    return index


@pytest.mark.parametrize(
    ("option", "setting", "reviewer"),
    [("ada", "bob", "ada"), ("", "bob", "bob"), ("", "", "eve")],
)
def test_a_reviewer_is_named_by_option_setting_or_login(
    monkeypatch: pytest.MonkeyPatch, option: str, setting: str, reviewer: str
) -> None:
    monkeypatch.setenv("LOGNAME", "eve")
    assert choose_reviewer(Settings(reviewer=setting), option) == reviewer


@pytest.mark.parametrize(
    ("start", "digest"),
    [
        ("abcd00", DIGESTS[0]),
        ("abcd1", DIGESTS[1]),
        (DIGESTS[2], DIGESTS[2]),
        ("12345", ""),
        ("", ""),
        ("abc", ""),
        ("ABCD", ""),
        ("abcd*", ""),
        ("****", ""),
        ("1234 or 1", ""),
        ('1234"', ""),
        ("0" * 65, ""),
    ],
)
def test_a_unit_is_found_by_the_start_of_its_digest(
    index: KernelIndex,
    capsys: pytest.CaptureFixture[str],
    start: str,
    digest: str,
) -> None:
    assert find_unit(index, start) == digest
    is_said = "no unit's digest starts so" in capsys.readouterr().err
    assert is_said == (not digest)


def test_a_start_of_several_digests_is_refused_with_their_number(
    index: KernelIndex,
) -> None:
    with pytest.raises(Misconfigured, match="2 units start with `abcd`") as raised:
        find_unit(index, "abcd")
    assert raised.value.code == "bad-review"


@pytest.mark.parametrize(
    ("words", "items"),
    [
        ("", []),
        (" , ,", []),
        ("style", [ChecklistItem.STYLE]),
        (
            " tests-cover , style,",
            [ChecklistItem.TESTS_COVER, ChecklistItem.STYLE],
        ),
        (" all ", list(ChecklistItem)),
    ],
)
def test_items_of_the_checklist_are_named(
    words: str, items: list[ChecklistItem]
) -> None:
    assert list(parse_items(words)) == items


@pytest.mark.parametrize("words", ["beauty", "style,beauty", "all,style", "Style"])
def test_an_item_that_is_none_is_refused_with_those_that_there_are(words: str) -> None:
    with pytest.raises(Misconfigured, match="tests-cover, style, or `all`") as raised:
        parse_items(words)
    assert raised.value.code == "bad-review"


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("source:1:why?", (ReviewedPart.SOURCE, 1, "why?")),
        ("port:0:the whole", (ReviewedPart.PORT, 0, "the whole")),
        ("tests:12:a: b: c", (ReviewedPart.TESTS, 12, "a: b: c")),
        ("prompt:3:two\nlines", (ReviewedPart.PROMPT, 3, "two\nlines")),
    ],
)
def test_a_remark_has_its_part_its_line_and_its_text(
    text: str, comment: tuple[ReviewedPart, int, str]
) -> None:
    part, line, words = comment
    assert parse_comment(text) == ReviewComment(part=part, line=line, text=words)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "line 3",
        "code:3:x",
        "source:x:y",
        "source:-1:y",
        "source:1:",
        "source:1234567890:y",
        "Source:1:y",
        "source 1 y",
    ],
)
def test_what_is_no_remark_is_refused_with_its_form(text: str) -> None:
    with pytest.raises(Misconfigured, match="PART:LINE:TEXT") as raised:
        parse_comment(text)
    assert raised.value.code == "bad-review"


@given(
    part=st.sampled_from(ReviewedPart),
    line=st.integers(0, 999_999_999),
    text=st.text(min_size=1),
)
def test_any_remark_is_read_as_it_was_written(
    part: ReviewedPart, line: int, text: str
) -> None:
    comment = parse_comment(f"{part}:{line}:{text}")
    assert comment == ReviewComment(part=part, line=line, text=text)
