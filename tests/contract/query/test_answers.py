"""Whatever is asked is answered: many rows, slow readers, and queries that nobody would write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crawler.model import Kernel, Layer
from storage.errors import BadQuery
from storage.in_memory.index import InMemoryKernelIndex
from storage.index.query.fields import FIELDS
from storage.interfaces import KernelIndex
from storage.open import open_storage
from tests.contract.query.drawn_rows import HERE, PLAIN, REPOS, UNITS
from tests.plain import plain_kernel


def many(kernel: Kernel, number: int) -> list[Kernel]:
    return [
        replace(
            kernel, name=f"k{position}", span=replace(kernel.span, offset=position * 7)
        )
        for position in range(number)
    ]


PLAINEST = plain_kernel(UNITS[0], span=HERE, instantiations=(PLAIN,))


def test_many_pages_are_one_answer(tmp_path: Path) -> None:
    memory = InMemoryKernelIndex()
    with open_storage(tmp_path) as storage:
        for index in (memory, storage.index):
            for repo in REPOS:
                index.put_kernels(repo, many(PLAINEST, 1100))
        rows = list(memory.query())
        assert list(storage.index.query()) == rows
        assert list(storage.index.query("k1", limit=700)) == list(
            memory.query("k1", limit=700)
        )
        assert [record.kernel.name for record in storage.index.records()] == [
            row.name for row in rows
        ]


def test_a_slow_reader_sees_nothing_that_is_gone(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        for repo in REPOS:
            storage.index.put_kernels(repo, many(PLAINEST, 900))
        reader = storage.index.query("found_by=ast")
        first = next(reader)
        for repo in REPOS:
            storage.index.put_kernels(
                repo, many(replace(PLAINEST, found_by=Layer.STRING), 900)[:-1]
            )
        rest = list(reader)
        assert first.found_by == "ast"
        assert len(rest) < 500, "what was read before, at most"
        assert {row.found_by for row in rest} == {"ast"}


SOUP = st.sampled_from(
    [
        *FIELDS,
        "=",
        "!=",
        "~",
        "<",
        ",",
        "*",
        '"',
        '"a%"',
        "\\",
        "-",
        "not ",
        " ",
        "1",
        "true",
        "pass",
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(expression=st.lists(SOUP, max_size=12).map("".join) | st.text(max_size=30))
def test_whatever_is_asked_is_answered_or_told_wrong(
    shared_index: KernelIndex, expression: str
) -> None:
    try:
        rows = shared_index.query(expression)
    except BadQuery:
        return
    assert list(rows) == []


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 2**63 - 1])
def test_any_number_may_be_asked_for(shared_index: KernelIndex, number: int) -> None:
    assert (
        list(
            shared_index.query(
                f"line={number},1 lines<{number} end_line!={number} launches>={number}"
            )
        )
        == []
    )


@pytest.mark.parametrize(
    "value", ["*a" * 80, '"' + "%_\\\\" * 20 + '"', ",".join(["a*"] * 99)]
)
def test_the_largest_query_is_answered(shared_index: KernelIndex, value: str) -> None:
    whole = " ".join(
        f"{name}={value}" for name in ("reasons", "tag", "name", "path") * 9
    )
    while len(whole) > 4096:
        whole = whole.rpartition(" ")[0]
    assert list(shared_index.query(whole)) == []
    assert (
        list(shared_index.query(" ".join(["pass_call!=pass,fail reasons!=a,b*"] * 25)))
        == []
    )


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shared_index(request: pytest.FixtureRequest, empty: Path) -> Iterator[KernelIndex]:
    address = (
        request.getfixturevalue("kept_database") if request.param == "postgres" else ""
    )
    with open_storage(empty, database=address) as storage:
        yield storage.index
