"""The members of a tar archive are counted as tarfile counts them."""

from __future__ import annotations

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.sources.archive.tar_headers import count_members

KINDS = st.sampled_from([bytes([kind]) for kind in b"0123456"])
MEMBERS = st.lists(
    st.tuples(st.integers(1, 300), KINDS, st.binary(max_size=1_200)), max_size=8
)


@pytest.mark.parametrize("flavour", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@given(members=MEMBERS)
def test_every_member_counts_once(
    flavour: int, members: list[tuple[int, bytes, bytes]]
) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=flavour) as archive:
        for length, kind, content in members:
            info = tarfile.TarInfo("n" * length)
            is_file = kind == tarfile.REGTYPE
            info.type, info.size = kind, len(content) if is_file else 0
            archive.addfile(info, io.BytesIO(content))
    packed.seek(0)
    assert count_members(packed, 100) == len(members)
    packed.seek(0)
    assert count_members(packed, 2) == min(len(members), 3)


@given(st.binary(max_size=3_000))
def test_what_is_no_archive_is_counted_to_its_first_broken_header(
    content: bytes,
) -> None:
    assert count_members(io.BytesIO(content), 100) <= 1 + len(content) // 512
