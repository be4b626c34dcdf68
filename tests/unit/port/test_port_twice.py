"""Porting what is ported already changes nothing, in real texts and with assembly inside assembly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler.port.port import port_text

FIXTURES = Path(__file__).parents[2] / "fixtures"
CUDA_SUFFIXES = (".cu", ".cuh")
CUDA_TEXTS = [
    path.read_text()
    for path in sorted(FIXTURES.rglob("*"))
    if path.suffix in CUDA_SUFFIXES
]
CUDA_LINES = [line for text in CUDA_TEXTS for line in text.splitlines(keepends=True)]

LANE = 'asm("mov.u32 %0, %%laneid;" : "=r"(lane));'
EMPTY_PAIR = "[&] { half2 pair; pair = {}; return 1u; }()"


def nest_assembly(statement: str) -> str:
    operand = f"({{ unsigned lane; {statement} lane; }})"
    return f'asm("mov.u32 %0, %1;" : "=r"(lane) : "r"({operand}));'


def assign_in_operand(statement: str) -> str:
    return f'asm("mov.u32 %0, %1;" : "=r"(lane) : "r"({EMPTY_PAIR})); {statement}'


assembly_statements = st.recursive(
    st.just(LANE),
    lambda inner: inner.map(nest_assembly) | inner.map(assign_in_operand),
    max_leaves=12,
)


@st.composite
def mixed_texts(draw: st.DrawFn) -> str:
    """Lines of real CUDA sources that follow one another, with statements between them."""
    first = draw(st.integers(0, len(CUDA_LINES) - 1))
    lines = CUDA_LINES[first : first + draw(st.integers(1, 60))]
    for statement in draw(st.lists(assembly_statements, max_size=3)):
        lines.insert(draw(st.integers(0, len(lines))), f"{statement}\n")
    includes_header = draw(st.booleans())
    head = "#include <kernelset/hip.h>\n" if includes_header else ""
    return head + "".join(lines)


def assert_ported_once(text: str) -> None:
    ported, _ = port_text(text)
    ported_again, report = port_text(ported)
    assert ported_again == ported
    assert report.changes == ()


@pytest.mark.parametrize("text", CUDA_TEXTS)
def test_a_real_source_is_ported_once(text: str) -> None:
    assert_ported_once(text)


@given(mixed_texts())
@example(f"#include <kernelset/hip.h>\n{assign_in_operand('')}\n")
@example(nest_assembly(nest_assembly(LANE)))
def test_a_source_with_assembly_inside_assembly_is_ported_once(text: str) -> None:
    assert_ported_once(text)


def test_assembly_in_an_operand_is_translated_with_its_statement() -> None:
    ported, report = port_text(nest_assembly(LANE))
    assert "asm" not in ported
    assert "::kernelset::ptx::lane_id()" in ported
    assert report.blockers == ()


def test_a_pair_that_is_emptied_in_an_operand_is_emptied_in_hip() -> None:
    text = f"#include <kernelset/hip.h>\n{assign_in_operand('')}\n"
    ported, report = port_text(text)
    assert "pair = std::remove_reference_t<decltype(pair)>{};" in ported
    assert [(change.rule, change.line) for change in report.changes] == [
        ("ptx", 2),
        ("empty", 2),
    ]


def test_what_blocks_in_an_operand_is_named_at_its_statement() -> None:
    mma = 'asm("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0}, {%1};" : "=r"(lane) : "r"(x));'
    _, report = port_text(f"int before;\n{nest_assembly(nest_assembly(mma))}\n")
    assert report.blockers == (("mma", 2),)


@pytest.mark.parametrize("depth", [8, 9, 40])
def test_statements_nested_without_end_are_left_or_ported_as_a_whole(
    depth: int,
) -> None:
    statement = LANE
    for _ in range(depth):
        statement = nest_assembly(statement)
    ported, _ = port_text(statement)
    statement_count = ported.count("asm(")
    assert statement_count in (0, depth + 1)
    assert_ported_once(statement)


@pytest.mark.timeout(60)
def test_statements_nested_by_the_thousand_cost_little() -> None:
    opening = 'asm("mov.u32 %0, %1;" : "=r"(x) : "r"('
    text = opening * 5_000 + "1" + "));" * 5_000
    assert port_text(text)[0].count("asm(") == 5_000


MARK = "\ufeff"


def test_a_byte_order_mark_stays_first_and_hides_no_directive() -> None:
    ported, report = port_text(f"{MARK}#include <cuda_runtime.h>\ncudaFree(p);\n")
    assert ported == f"{MARK}#include <hip/hip_runtime.h>\nhipFree(p);\n"
    assert [(change.rule, change.line) for change in report.changes] == [
        ("header", 1),
        ("runtime", 2),
    ]


def test_a_header_is_added_behind_a_byte_order_mark() -> None:
    ported, _ = port_text(f"{MARK}__global__ void k() {{}}\n")
    header = "#include <hip/hip_runtime.h>\n"
    assert ported == f"{MARK}{header}__global__ void k() {{}}\n"
    assert_ported_once(ported)


def test_a_mark_alone_is_kept() -> None:
    assert port_text(MARK)[0] == MARK
