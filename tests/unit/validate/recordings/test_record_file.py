"""Files in which a program's runtime left its launches."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.validate.recordings.record_file import (
    iter_recorded_launches,
    read_record_file,
)
from crawler.validate.recordings.recorded_launch import RecordedPointer

FIRST = (
    b"record 7 1 3 4 5 6 32 2 1 128 2000000000\n"
    b"arguments [T = float]\n"
    b"parameter p 8 8 f 4 1 name_of() [T = const float *]\n\n1234567\n"
    b"parameter s 4 4 - 0 0 name_of() [T = int]\n\x05\x00\x00\x00\n"
    b"pointer 0 0 0 4\n"
    b"link 0 8 1 -2\n"
    b"buffer 16 1\n0123456789abcdef0123456789ABCDEF"
    b"buffer 2 0\n\n\n"
    b"done\n"
)


def test_a_launch_is_read_as_it_was_written() -> None:
    (launch,) = iter_recorded_launches(FIRST)

    assert (launch.number, launch.kernel, launch.test) == (7, 1, 3)
    assert (launch.grid, launch.block) == ((4, 5, 6), (32, 2, 1))
    assert (launch.shared_bytes, launch.seconds) == (128, 2.0)
    assert launch.arguments == "[T = float]"
    assert [parameter.content for parameter in launch.parameters] == [
        b"\n1234567",
        b"\5\0\0\0",
    ]
    assert launch.pointers == (RecordedPointer(owner=0, at=0, buffer=0, offset=4),)
    assert launch.links == (RecordedPointer(owner=0, at=8, buffer=1, offset=-2),)
    changed, same = launch.buffers
    assert changed.read_before() == b"0123456789abcdef"
    assert changed.read_after() == b"0123456789ABCDEF"
    assert same.read_before() == same.read_after() == b"\n\n"
    assert launch.size == 18


def test_one_that_was_not_finished_is_left_out() -> None:
    assert len(list(iter_recorded_launches(FIRST + FIRST))) == 2
    for end in (5, 60, 130, len(FIRST) - 1):
        assert len(list(iter_recorded_launches(FIRST + FIRST[:end]))) == 1


@pytest.mark.parametrize(
    "damage",
    [
        (b"buffer 16 1", b"buffer 99999999999999999999 1"),
        (b"buffer 16 1", b"buffer -16 1"),
        (b"buffer 16 1", b"buffer 16"),
        (b"parameter s 4", b"parameter s 4000000"),
        (b"parameter s 4", b"parameter s x"),
        # another line of a description
        (b"[T = int]", b"[T = int]\x0cparameter s 4 4 - 0 0 int"),
        (b"[T = int]", b"[T = int]\xc2\x85entry 1"),
        (b"record 7", b"record -7"),
        (b"record 7 1 3 4", b"record 7 1 3 -4"),
        (b"record 7 1 3 4", b"record 7 1 3 9223372036854775808"),
        (b"record 7 1", b"record 7 -2"),
        (b"link 0 8 1 -2", b"link 0 8 1 -9223372036854775809"),
        (b"link 0 8", b"link 0 -8"),
        (b"record 7", b"record 7 7"),
        (b"record 7", b"recorded 7"),
        (b"arguments", b"argument"),
        (b"pointer 0 0", b"points 0 0"),
    ],
)
def test_nonsense_ends_the_reading(damage: tuple[bytes, bytes]) -> None:
    assert list(iter_recorded_launches(FIRST.replace(*damage))) == []


def test_a_launch_outside_of_any_test_is_read() -> None:
    (launch,) = iter_recorded_launches(
        FIRST.replace(b"record 7 1 3", b"record 7 -1 -1")
    )

    assert (launch.kernel, launch.test) == (-1, -1)


def test_a_pointer_that_does_not_lie_whole_in_its_owner_is_none() -> None:
    (launch,) = iter_recorded_launches(
        FIRST.replace(b"pointer 0 0", b"pointer 1 0").replace(b"link 0 8", b"link 0 9")
    )

    assert launch.pointers == launch.links == ()


def test_a_pointer_to_no_buffer_is_none() -> None:
    (launch,) = iter_recorded_launches(
        FIRST.replace(b"pointer 0 0 0", b"pointer 0 0 9").replace(
            b"link 0 8", b"link 5 8"
        )
    )

    assert launch.pointers == launch.links == ()


def test_no_more_launches_are_read_than_are_kept() -> None:
    empty = b"record 1 0 0 1 1 1 1 1 1 0 0\narguments \ndone\n"
    assert len(list(iter_recorded_launches(empty * 10_001))) == 10_000


def test_pointers_count_as_what_is_kept_of_a_file() -> None:
    many = FIRST.replace(b"link 0 8 1 -2\n", b"link 0 8 1 -2\n" * 8_000)
    (launch,) = iter_recorded_launches(many)
    assert launch.kept_bytes > 8_000 * 100

    launches = list(iter_recorded_launches(many * 100))
    assert 1 < len(launches) < 100
    assert sum(launch.kept_bytes for launch in launches) <= 64 << 20


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(FIRST)
    (tmp_path / "link").symlink_to("real")

    assert len(list(read_record_file(tmp_path / "real"))) == 1
    assert list(read_record_file(tmp_path / "link")) == []
    assert list(read_record_file(tmp_path / "missing")) == []
