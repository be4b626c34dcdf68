"""A reviewer reads the cases of a kernel and the whole of a long text."""

from __future__ import annotations

import hashlib
import html
import re
from dataclasses import replace

import pytest

from crawler.model import Dialect, Strength, Survivor
from tests.web_client import (
    JSON,
    RECORDS,
    REVIEWED_UNIT,
    ReviewSite,
    log_in,
    put_launched_record,
    put_records,
)


def test_a_reviewer_sees_the_cases_and_who_judged_them(review_site: ReviewSite) -> None:
    client, storage = review_site
    record = put_launched_record(storage)
    assert record.kernel.unit
    page = client.get(f"/reviews/{record.kernel.unit.digest}").text
    # in words, for who was never told
    assert "the project&#39;s own code for a CPU" in page
    assert "n = 2<br>" in page
    assert "in (inout) 8" in page
    assert "Memory, in bytes" in page
    assert "once-more" in page
    assert ">hidden<" not in page
    # its program is shown where its cases begin, behind what the kernel needs
    assert "// ---- the cases" in page


@pytest.mark.parametrize("part", ["source", "prompt"])
def test_a_long_text_is_read_to_its_last_line(
    review_site: ReviewSite, part: str
) -> None:
    client, storage = review_site
    base = next(record for record in RECORDS if record.ports)
    assert base.kernel.unit
    source = "// needed by the kernel\n" * 3000 + base.kernel.unit.source
    digest = hashlib.sha256(source.encode()).hexdigest()
    unit = replace(base.kernel.unit, source=source, digest=digest)
    kernel = replace(base.kernel, unit=unit)
    put_records(storage, (replace(base, kernel=kernel, ports=(), builds=()),), task=9)
    address = f"/reviews/{unit.digest}/texts/{part}"
    text = client.get(address, headers=JSON).json()["text"]
    numbers: list[int] = []
    following = address
    while following:
        page = client.get(following).text
        assert len(page) < 200_000
        numbers += map(int, re.findall(r'id="L(\d+)"', page))
        match = re.search(r'href="([^"]+)">Further lines', page)
        following = html.unescape(match[1]) if match else ""
    assert numbers == list(range(1, len(text.rstrip("\n").split("\n")) + 1))


def test_what_no_text_has_is_said(review_site: ReviewSite) -> None:
    client, _ = review_site
    assert client.get(f"/reviews/{REVIEWED_UNIT}/texts/nothing").status_code == 422
    assert client.get(f"/reviews/{'0' * 64}/texts/source").status_code == 404
    behind = client.get(f"/reviews/{REVIEWED_UNIT}/texts/source?from=100000")
    assert "It has fewer lines." in behind.text


def test_a_reviewer_sees_what_the_smallest_case_holds(review_site: ReviewSite) -> None:
    client, storage = review_site
    record = put_launched_record(storage)
    assert record.kernel.unit
    page = client.get(f"/reviews/{record.kernel.unit.digest}").text
    assert "The smallest case in numbers" in page
    example = page[page.index("The smallest case in numbers") :]
    # which case it is, and with what numbers it is called
    assert re.search(r"<p class=\"break\">[\w-]+, <code>\w+ = \d+</code>", example)
    assert re.search(r'data-label="Before"><code>[\d.]+, ', example)
    assert re.search(r'data-label="After"><code>[\d.]+, ', example)


def test_the_source_of_a_review_shows_what_no_case_looks_at(
    review_site: ReviewSite,
) -> None:
    client, storage = review_site
    record = put_launched_record(storage)
    assert record.kernel.unit
    strength = Strength(
        branches=4, branches_reached=3, unreached=(3,), taken_lines=(2, 3, 5),
        missed_lines=(4,), mutants=9, killed=8,
        survivors=(Survivor(line=5, before="i < n", after="i <= n"),),
    )  # fmt: skip
    runs = [replace(run, strength=strength) for run in record.runs]
    storage.index.put_runs(runs, [suite for _, suite in record.suites])
    page = client.get(f"/reviews/{record.kernel.unit.digest}").text
    assert "3 of 4 lines run" in page
    assert 'class="line untaken" id="source-4"' in page
    assert "no case tells <code>i &lt; n</code> from <code>i &lt;= n</code>" in page


def test_what_a_kernel_lacks_is_said_where_it_is_asked_for(
    review_site: ReviewSite,
) -> None:
    client, storage = review_site
    base = next(record for record in RECORDS if record.kernel.unit)
    assert base.kernel.unit
    for dialect, words in (
        (Dialect.CUDA, "It has no port: the kernel"),
        (Dialect.HIP, "It is written in HIP"),
    ):
        source = f"__global__ void broken(int n) {{ {dialect} }}"
        digest = hashlib.sha256(source.encode()).hexdigest()
        unit = replace(base.kernel.unit, source=source, digest=digest)
        # nothing compiles it, so nobody is asked to write it
        kernel = replace(base.kernel, name="broken", unit=unit, dialect=dialect)
        record = replace(base, kernel=kernel, ports=(), builds=())
        put_records(storage, (record,), task=9)
        log_in(client, storage, f"ada {dialect}", "reviewer")
        page = client.get(f"/reviews/{digest}").text
        assert words in page
        if dialect is Dialect.CUDA:
            assert page.count("It has no prompt: leave this open.") == 2
