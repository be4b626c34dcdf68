"""The page with kernels to review."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web_client import ReviewSite, fill_with_records, serving


@pytest.fixture
def review_site(tmp_path: Path) -> Iterator[ReviewSite]:
    with serving(tmp_path) as (client, storage):
        fill_with_records(storage)
        yield client, storage
