"""Sizes and spellings at the edge: names, lines, marks and line ends; and units that take more
than they may.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.extract.parser_process import parent
from crawler.extract.parser_process.child import ParseRequest
from crawler.model import Layer

KERNEL = "__global__ void k(float* a) {\n  a[0] = 1;  // é\n}\nvoid f(float* a) { k<<<1, 2>>>(a); }\n"
LONG = "n" * 10_000
EXTREMES: dict[str, str | bytes] = {
    "name.cu": KERNEL.replace("k(", f"{LONG}(").replace("k<", f"{LONG}<"),
    "returns.cu": KERNEL.replace("\n", "\r\n"),
    "mark.cu": b"\xef\xbb\xbf" + KERNEL.encode(),
    "mark_and_returns.cu": b"\xef\xbb\xbf" + KERNEL.replace("\n", "\r\n").encode(),
    "latin.cu": KERNEL.encode("latin-1"),
    "zeros.cu": KERNEL.encode() + b"\0" * 1_000,
}


@pytest.fixture(scope="module")
def extremes(project: Callable[..., Any]) -> tuple[Path, dict[str, Any]]:
    planted = project(EXTREMES)
    answers = parent.extract_batch_facts(
        planted.root, planted.commands, cpu_seconds=120
    )
    return planted.root, {facts.command.file: facts for facts in answers}


@pytest.mark.parametrize("name", EXTREMES)
def test_a_kernel_is_found_and_its_source_is_what_the_file_holds(
    extremes: tuple[Path, dict[str, Any]], name: str
) -> None:
    root, answers = extremes
    facts = answers[name]
    assert facts.failure == ""
    (kernel,) = facts.kernels
    content = (root / name).read_bytes()
    span = kernel.span
    assert kernel.name == (LONG if name == "name.cu" else "k")
    assert (
        kernel.source.encode() == content[span.offset : span.end_offset]
        or name == "latin.cu"
    )
    assert content[span.offset : span.offset + 10] == b"__global__"
    assert content[span.end_offset - 1 : span.end_offset] == b"}"
    assert kernel.found_by is Layer.AST
    (launch,) = facts.launches
    assert launch.launch.enclosing == "f"


def test_a_unit_that_hangs_is_recorded_and_the_next_goes_on(
    project: Callable[..., Any],
) -> None:
    endless = "constexpr long c(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i ^ (s << 1); return s; }\n"
    hanging = (
        KERNEL
        + endless
        + "".join(
            f"constexpr long v{index} = c(1l << 40) + {index};\n"
            for index in range(400)
        )
    )
    planted = project({"a.cu": hanging, "b.cu": KERNEL}, "-fconstexpr-steps=2000000000")
    began = time.monotonic()
    slow, next_one = parent.extract_batch_facts(
        planted.root, planted.commands, cpu_seconds=4
    )
    assert slow.failure == "parse-timeout"
    assert [(kernel.name, kernel.reason) for kernel in slow.kernels] == [
        ("k", "parse-timeout")
    ]
    assert next_one.failure == ""
    assert time.monotonic() - began < 120


def test_a_unit_that_eats_memory_is_recorded_and_the_next_goes_on(
    project: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parent, "_MEMORY_BYTES", 700 << 20)
    doubled = "".join(
        f"#define M{index} M{index - 1} M{index - 1}\n" for index in range(1, 40)
    )
    planted = project(
        {"a.cu": KERNEL + "#define M0 int;\n" + doubled + "M39\n", "b.cu": KERNEL}
    )
    greedy, next_one = parent.extract_batch_facts(
        planted.root, planted.commands, cpu_seconds=90
    )
    assert greedy.failure in ("parse-crashed", "parse-failed", "parse-timeout")
    assert [(kernel.name, kernel.found_by) for kernel in greedy.kernels] == [
        ("k", Layer.SYNTACTIC)
    ]
    assert (next_one.failure, [kernel.found_by for kernel in next_one.kernels]) == (
        "",
        [Layer.AST],
    )


def test_a_process_that_is_killed_costs_the_unit_it_was_at(
    project: Callable[..., Any],
) -> None:
    planted = project({"a.cu": KERNEL, "b.cu": KERNEL, "c.cu": KERNEL})
    parser = parent._ParserProcess(planted.root)
    try:
        for number, command in enumerate(planted.commands):
            if number == 1:
                assert parser._child is not None
                os.killpg(parser._child.pid, signal.SIGKILL)
            facts, failure = parser.ask(ParseRequest(command=command), 60)
            assert failure == ("parse-crashed" if number == 1 else "")
            assert (facts is None) == (number == 1)
    finally:
        parser.end()
