"""Cases as the words and numbers that a judge reads."""

from __future__ import annotations

import pytest

from crawler.model import (
    BufferRole,
    Case,
    CaseArgument,
    CaseBuffer,
    CaseKind,
    CasePointer,
    Dialect,
)
from crawler.validate.harness.judge_case_file import (
    CaseFile,
    compute_checksum,
    render_case_file,
)
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels

BUFFER = CaseBuffer(
    name="a", element="int", element_size=4, size=8, role=BufferRole.INOUT
)


def render(
    blobs: Blobs, *buffers: CaseBuffer, arguments: tuple[CaseArgument, ...] = ()
) -> CaseFile:
    case = Case(
        name="extra 2",
        kind=CaseKind.EXTRA,
        grid=(4, 3, 2),
        block=(32, 2, 1),
        shared_bytes=96,
        buffers=buffers,
        arguments=arguments,
    )
    unit = kernels.unit(Dialect.CUDA)
    return render_case_file(
        [(case, 0)], blobs, unit=unit, runner="k.cu", reference=b"kernel"
    )


def test_a_case_has_its_kernel_grid_block_and_shared_memory() -> None:
    assert "\ncase extra_2 0 4 3 2 32 2 1 96 0 0\n" in render(Blobs()).text


def test_contents_are_named_by_their_places_and_stored_once() -> None:
    blobs = Blobs()
    content, gold = blobs.put(b"12345678"), blobs.put(b"abcdefgh")
    with_both = CaseBuffer(
        name="b",
        element="float2",
        element_size=8,
        size=8,
        role=BufferRole.INOUT,
        content=content,
        gold=gold,
        absolute=1e-7,
        relative=0.1,
    )
    file = render(blobs, with_both, with_both)
    line = "buffer b FLOAT 2 8 0 8 8 8 0 8 1e-07 0.1 0\n"
    assert file.text.count(line) == 2
    assert file.stored_bytes == b"12345678abcdefgh"


def test_what_nobody_knows_beforehand_has_no_place() -> None:
    assert "buffer a I32 1 8 -1 0 -1 0 0 8 0.0 0.0 0\n" in render(Blobs(), BUFFER).text


def test_pointers_follow_what_they_stand_in_and_null_is_minus_one() -> None:
    pointers = (
        CasePointer(at=0, buffer=0, offset=-4),
        CasePointer(at=8, buffer=None),
    )
    argument = CaseArgument(name="view", content="00" * 16, pointers=pointers)
    text = render(Blobs(), BUFFER, arguments=(argument,)).text
    assert f"\nargument {'00' * 16} 2\nlink 0 0 -4\nlink 8 -1 0\n" in text


@pytest.mark.parametrize("name", ["a b", "x\nend", "", "größe", "a\tb\r"])
def test_a_strangers_name_is_one_word(name: str) -> None:
    buffer = CaseBuffer(
        name=name, element="int", element_size=4, size=8, role=BufferRole.IN
    )
    (line,) = [
        line
        for line in render(Blobs(), buffer).text.splitlines()
        if line.startswith("buffer")
    ]
    assert len(line.split(" ")) == 14
    assert line.isascii()


def test_the_checksum_is_that_of_the_published_examples() -> None:
    assert compute_checksum(b"") == 0xCBF29CE484222325
    assert compute_checksum(b"a") == 0xAF63DC4C8601EC8C
    assert compute_checksum(b"foobar") == 0x85944171F73967E8
