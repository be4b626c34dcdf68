"""What ptxas says of a kernel's resources, and what of it is made."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.toolchains.ptxas_messages import (
    parse_ptxas_resources,
    warps_per_multiprocessor,
)

LOG = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5scalePfi' for 'sm_80'
ptxas info    : Function properties for _Z5scalePfi
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 40 registers, 2048 bytes smem, 364 bytes cmem[0]
ptxas info    : Compiling entry function '_Z4copyPf$x' for 'sm_80'
ptxas info    : Function properties for _Z4copyPf$x
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 356 bytes cmem[0]
"""


def test_each_kernel_has_the_numbers_that_stand_behind_its_name() -> None:
    scale, copy = parse_ptxas_resources(LOG)
    assert scale.symbol == "_Z5scalePfi"
    assert scale.registers == 40
    assert scale.shared_bytes == 2048
    assert scale.scratch_bytes == 16
    assert scale.spills == 4
    assert copy.symbol == "_Z4copyPf$x"
    assert copy.registers == 8
    assert copy.shared_bytes == copy.scratch_bytes == copy.spills == 0


def test_the_last_kernel_takes_no_numbers_of_the_one_before() -> None:
    without_registers = LOG.replace("Used 8 registers, ", "")
    _, copy = parse_ptxas_resources(without_registers)
    assert copy.registers == 0


@pytest.mark.parametrize("log", ["", "ptxas fatal : out of memory", "Compiling entry"])
def test_a_log_without_a_kernel_has_no_resources(log: str) -> None:
    assert parse_ptxas_resources(log) == ()


# NVIDIA's occupancy calculator for compute capability 8.0, threads limited by registers alone
@pytest.mark.parametrize(
    ("registers", "warps"),
    [(0, 64), (32, 64), (33, 48), (40, 48), (64, 32), (65, 28), (128, 16), (255, 8)],
)
def test_occupancy_is_that_of_nvidias_calculator(registers: int, warps: int) -> None:
    assert warps_per_multiprocessor(registers) == warps


@given(st.integers(0, 254))
def test_a_register_more_never_makes_room_for_a_warp(registers: int) -> None:
    warps = warps_per_multiprocessor(registers)
    assert 4 <= warps <= 64
    assert warps % 4 == 0
    assert warps_per_multiprocessor(registers + 1) <= warps
