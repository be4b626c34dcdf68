"""Words of names, sources and comments are found in every kind of index, and forgotten with their
kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select

from crawler.model import Kernel, Operator
from storage.database.engine import read_transaction, write_transaction
from storage.errors import BadQuery
from storage.in_memory.index import InMemoryKernelIndex
from storage.interfaces import KernelIndex
from storage.open import Storage, open_storage
from storage.tables import KERNEL_TEXT
from tests.contract.kernel_indexes import FORK, MMCV, kernel_of, names

SOURCES = {
    "roi_align": "// keeps a tile in shared memory\n__global__ void roi_align() {}",
    "nms": "__global__ void nms(float* out) { atomicAdd(out, 1.f); }",
    "scan": "__global__ void scan() { __shared__ int memory[1]; }",
}


def make_kernels() -> list[Kernel]:
    return [
        replace(kernel_of(name, offset=number), source=source)
        for number, (name, source) in enumerate(SOURCES.items())
    ]


@pytest.fixture(params=["sqlite", "postgres"])
def storage(
    request: pytest.FixtureRequest, tmp_path: Path, empty_database: Callable[[], str]
) -> Iterator[Storage]:
    database = empty_database() if request.param == "postgres" else ""
    with open_storage(tmp_path, database=database) as opened:
        yield opened


@pytest.fixture(params=["sql", "memory"])
def index(request: pytest.FixtureRequest, storage: Storage) -> KernelIndex:
    index = storage.index if request.param == "sql" else InMemoryKernelIndex()
    index.put_kernels(MMCV, make_kernels())
    return index


@pytest.mark.parametrize(
    ("expression", "kernels"),
    [
        ('text:"shared memory"', ["roi_align"]),
        ('text = "shared memory"', ["roi_align"]),
        ("text:shared", ["roi_align", "scan"]),
        ("text : SHARED", ["roi_align", "scan"]),
        ("text:atomic*", ["nms"]),
        ("text:atomic", []),
        ('text:"roi align"', ["roi_align"]),
        ('text:tile,"int memory"', ["roi_align", "scan"]),
        ("not text:shared", ["nms"]),
        ("text != shared", ["nms"]),
        ("text:shared and name = s*", ["scan"]),
        ('text:"shared int"', ["scan"]),
        ('text:"\' OR 1=1"', []),
    ],
)
def test_words_are_found(
    index: KernelIndex, expression: str, kernels: list[str]
) -> None:
    assert names(index, expression) == [f"mmcv:{name}" for name in kernels]


@pytest.mark.parametrize("expression", ['text:"+"', "text:*", "text:a*b", "text > a"])
def test_what_holds_no_word_is_refused(index: KernelIndex, expression: str) -> None:
    with pytest.raises(BadQuery, match="`text`"):
        index.query(expression)


def test_text_has_no_facet(index: KernelIndex) -> None:
    with pytest.raises(BadQuery, match="no values to count"):
        index.count_values("text")


def test_operators_are_searched(storage: Storage) -> None:
    kernel = replace(make_kernels()[1], operators=(Operator(name="ops.batched_nms"),))
    storage.index.put_kernels(MMCV, [kernel])
    assert names(storage.index, 'text:"batched nms"') == ["mmcv:nms"]


def test_words_go_with_their_kernels(storage: Storage) -> None:
    storage.index.put_kernels(MMCV, make_kernels())
    storage.index.put_kernels(FORK, make_kernels()[:1])
    storage.index.put_kernels(MMCV, make_kernels()[1:])
    assert names(storage.index, "text:tile") == ["some/fork:roi_align"]
    storage.purge(lambda repo: repo.name == "fork")
    assert names(storage.index, "text:tile") == []
    assert names(storage.index, "text:memory") == ["mmcv:scan"]


def test_kernels_that_an_older_version_put_get_their_words(storage: Storage) -> None:
    storage.index.put_kernels(MMCV, make_kernels())
    with write_transaction(storage.engine) as connection:
        connection.execute(delete(KERNEL_TEXT))
    storage.index.put_kernels(FORK, make_kernels()[:1])

    assert names(storage.index, "text:shared") == [
        "mmcv:roi_align",
        "mmcv:scan",
        "some/fork:roi_align",
    ]
    with read_transaction(storage.engine) as connection:
        count = connection.scalar(select(func.count()).select_from(KERNEL_TEXT))
    assert count == 4
