"""A port stands beside its source, however its lines repeat, in bounded time."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from tests.web_client import RECORDS
from workers.web.source_views.kernel_view import make_kernel_view
from workers.web.source_views.side_by_side import compare_texts


def test_a_changed_line_stands_beside_what_it_was() -> None:
    left = "\n".join(f"line {number};" for number in range(20))
    right = left.replace("line 9;", "line nine;")
    lines = compare_texts(left, right, None)
    (changed,) = [line for line in lines if line.kind == "changed"]
    assert (changed.left, changed.right) == ("line 9;", "line nine;")
    assert (changed.left_number, changed.right_number) == (10, 10)
    assert sum(line.kind == "same" for line in lines) == 6
    gaps = [line.left for line in lines if line.kind == "gap"]
    assert gaps == ["… 6 lines are the same …", "… 7 lines are the same …"]


@pytest.mark.parametrize("lines", [("}",), ("", "{"), tuple("abcdefgh")])
def test_lines_that_repeat_cost_no_square(lines: tuple[str, ...]) -> None:
    text = "\n".join(lines * (15_000 // len(lines)))
    began = time.process_time()
    assert compare_texts(f"int x;\n{text}", f"{text}\nint y;", None)
    assert time.process_time() - began < 2


def test_few_ports_are_held_against_their_source() -> None:
    record = next(record for record in RECORDS if record.ports)
    many = replace(record, ports=record.ports[:1] * 50)
    assert len(make_kernel_view(many).ports) == 3
