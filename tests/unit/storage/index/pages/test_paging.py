"""Pages of kernels, read while others write."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.model import Kernel
from storage.index import sql_index
from storage.index.pages.kernel_page import KernelPage
from storage.index.pages.page_reading import read_kernel_page
from storage.index.pages.paging import iter_pages
from storage.open import Storage, open_storage
from tests.unit.storage.samples import REPO, make_kernel


@pytest.fixture
def storage(tmp_path: Path, migrated_database: Path) -> Iterator[Storage]:
    (tmp_path / "kernelset.db").write_bytes(migrated_database.read_bytes())
    with open_storage(tmp_path) as storage:
        yield storage


def make_kernels(count: int) -> list[Kernel]:
    return [make_kernel(f"kernel_{number}", number) for number in range(count)]


def page_names(page: KernelPage) -> list[str]:
    return [kernel.name for kernel in page.kernels]


@pytest.mark.parametrize("size", [1, 3, 10, 11])
def test_pages_hold_every_kernel_once_in_order(storage: Storage, size: int) -> None:
    storage.index.put_kernels(REPO, make_kernels(10))
    pages = list(iter_pages(storage.engine, [], size, read_kernel_page))
    names = [name for page in pages for name in page_names(page)]
    assert names == [f"kernel_{number}" for number in range(10)]
    assert max(len(page.kernels) for page in pages) <= size


def test_an_empty_index_has_no_pages(storage: Storage) -> None:
    assert list(iter_pages(storage.engine, [], 5, read_kernel_page)) == []


def test_kernels_that_were_replaced_while_paging_are_left_out(
    storage: Storage,
) -> None:
    storage.index.put_kernels(REPO, make_kernels(6))
    pages = iter_pages(storage.engine, [], 3, read_kernel_page)
    assert page_names(next(pages)) == ["kernel_0", "kernel_1", "kernel_2"]
    storage.index.put_kernels(REPO, [])
    assert [page_names(page) for page in pages] == []


def test_a_limit_ends_a_query_however_small_the_pages(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_index, "_ROWS_PER_PAGE", 2)
    storage.index.put_kernels(REPO, make_kernels(5))
    for limit in range(1, 7):
        assert len(list(storage.index.query(limit=limit))) == min(limit, 5)
    assert len(list(storage.index.query())) == 5
