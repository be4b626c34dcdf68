"""Cases as the text of a test: initialisers of the structures that its other parts declare."""

from __future__ import annotations

from dataclasses import replace

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
from crawler.validate.harness.case_text import render_cases, written_range
from crawler.validate.harness.embedded_bytes import HarnessContents
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.kernels import Does

UNIT = kernels.unit(Dialect.CUDA)
INPUT = CaseBuffer(
    name="a",
    element="int",
    element_size=4,
    size=8,
    role=BufferRole.IN,
    written=(0, 8),
)


def render(case: Case, blobs: Blobs, limit: int = 1 << 11) -> str:
    return render_cases(UNIT, [case], HarnessContents(limit), blobs, "test_k")


def build_case(*buffers: CaseBuffer, arguments: tuple[CaseArgument, ...] = ()) -> Case:
    return Case(
        name="ordinary",
        kind=CaseKind.ORDINARY,
        grid=(4, 3, 2),
        block=(32, 2, 1),
        shared_bytes=96,
        buffers=buffers,
        arguments=arguments,
    )


def test_a_case_has_its_kernel_grid_block_and_shared_memory() -> None:
    case = replace(build_case(), entry=Does.NOTHING.value)
    text = render(case, Blobs())
    assert '{"ordinary", KERNEL(' in text
    assert "dim3(4, 3, 2), dim3(32, 2, 1), 96," in text
    assert "k<1>" in text


def test_contents_stand_in_front_of_the_cases_that_name_them() -> None:
    blobs = Blobs()
    text = render(kernels.case(Does.ITS_WORK, blobs, n=3), blobs)
    declaration = text.index("static const float data_0[] = {\n  -2.25f, -0.5f")
    assert declaration < text.index("static std::vector<Case> cases()")
    assert "{data_0, sizeof(data_0)}" in text
    assert "stored_bytes" not in text


def test_large_contents_are_read_from_the_file_beside() -> None:
    blobs = Blobs()
    text = render(kernels.case(Does.ITS_WORK, blobs, n=3), blobs, limit=4)
    assert "stored(0, 12)" in text
    assert "stored(12, 12)" in text
    assert 'folder + "test_k.bin"' in text
    assert "bytes.resize(24)" in text


@pytest.mark.parametrize(
    ("role", "written", "expected"),
    [
        (BufferRole.IN, (0, 8), (0, 0)),
        (BufferRole.OUT, (2, 6), (2, 6)),
        # What is written is not known: all of it may be.
        (BufferRole.OUT, (0, 0), (0, 8)),
        (BufferRole.INOUT, (6, 6), (0, 8)),
    ],
)
def test_a_range_that_is_not_known_is_the_whole_buffer(
    role: BufferRole, written: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert written_range(replace(INPUT, role=role, written=written)) == expected


def test_an_input_has_no_golden_output() -> None:
    blobs = Blobs()
    digest = blobs.put(b"12345678")
    text = render(build_case(replace(INPUT, content=digest, gold=digest)), blobs)
    assert '{"a", I32, 1, 8, {data_0, sizeof(data_0)}, {nullptr, 0}, 0, 0, ' in text


def test_a_content_is_cut_at_the_buffers_size() -> None:
    blobs = Blobs()
    digest = blobs.put(b"\1\0\0\0\2\0\0\0\3\0\0\0")
    text = render(build_case(replace(INPUT, content=digest)), blobs)
    assert "static const int data_0[] = {\n  1, 2};" in text


def test_tolerances_are_written_so_that_they_are_read_again() -> None:
    buffer = replace(INPUT, role=BufferRole.OUT, absolute=1e-7, relative=0.1)
    assert ", 0, 8, 1e-07, 0.1, {}}" in render(build_case(buffer), Blobs())


def test_pointers_name_their_buffers_and_null_none() -> None:
    pointers = (
        CasePointer(at=0, buffer=1, offset=-4),
        CasePointer(at=8, buffer=None),
    )
    argument = CaseArgument(name="view", content="00" * 16, pointers=pointers)
    text = render(build_case(INPUT, arguments=(argument,)), Blobs())
    assert "{{0, 1, -4}, {8, -1, 0}}} /* view */" in text
    assert ", 16}, " in text


@pytest.mark.parametrize(
    "name", ['a"; system("x"); //', "b */ evil /*", "c\\", "d\n#include <x>"]
)
def test_a_strangers_name_ends_neither_a_string_nor_a_comment(name: str) -> None:
    argument = CaseArgument(name=name, content="00")
    case = build_case(replace(INPUT, name=name), arguments=(argument,))
    text = render(replace(case, name=name), Blobs())
    assert name not in text
    for fragment in ('";', "*/ evil", '\\"', "\n#include"):
        assert fragment not in text.partition("push_back")[2]


def test_a_missing_content_is_an_error_not_an_empty_buffer() -> None:
    with pytest.raises(KeyError):
        render(build_case(replace(INPUT, content="f" * 64)), Blobs())
