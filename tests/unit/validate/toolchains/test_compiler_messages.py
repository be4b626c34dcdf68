"""Reading what clang and lld say."""

from __future__ import annotations

import pytest

from crawler import headers
from crawler.model import Diagnostic, Resources
from crawler.validate.toolchains.compiler_messages import (
    MAX_DIAGNOSTICS,
    parse_diagnostics,
    parse_resource_remarks,
)

LOG = f"""unit.hip:3:5: warning: unused variable 'x' [-Wunused]
In file included from <built-in>:1:
{headers.ROOT}/hip/kernelset/hip.h:12:1: note: declared here
unit.hip:7:9: error: use of undeclared identifier 'foo'
unit.hip:9:10: fatal error: 'a.h' file not found
lld: error: undefined symbol: bar
clang++-19: error: amdgcn-link command failed with exit code 1 (use -v to see invocation)
2 errors generated when compiling for gfx90a.
"""

REMARKS = """unit.hip:5:1: remark: Function Name: _Z1kIfEvPT_i [-Rpass-analysis=kernel-resource-usage]
unit.hip:5:1: remark:     SGPRs: 11 [-Rpass-analysis=kernel-resource-usage]
unit.hip:5:1: remark:     VGPRs: 5 [-Rpass-analysis=kernel-resource-usage]
unit.hip:5:1: remark:     AGPRs: 0 [-Rpass-analysis=kernel-resource-usage]
unit.hip:5:1: remark:     ScratchSize [bytes/lane]: 16 [-Rpass-analysis=kernel-resource-usage]
unit.hip:5:1: remark:     Dynamic Stack: False [-Rpass-analysis=kernel-resource-usage]
unit.hip:5:1: remark:     Occupancy [waves/SIMD]: 8 [-Rpass-analysis=kernel-resource-usage]
unit.hip:5:1: remark:     SGPRs Spill: 1 [-Rpass-analysis=kernel-resource-usage]
unit.hip:5:1: remark:     VGPRs Spill: 2 [-Rpass-analysis=kernel-resource-usage]
unit.hip:5:1: remark:     LDS Size [bytes/block]: 1024 [-Rpass-analysis=kernel-resource-usage]
unit.hip:5:1: remark: Function Name: _Z1jv [-Rpass-analysis=kernel-resource-usage]
"""


def test_errors_come_first_and_paths_are_not_this_machines() -> None:
    diagnostics = parse_diagnostics(LOG)
    assert diagnostics[0] == Diagnostic(
        severity="error",
        message="use of undeclared identifier 'foo'",
        path="unit.hip",
        line=7,
    )
    assert diagnostics[1] == Diagnostic(
        severity="fatal", message="'a.h' file not found", path="unit.hip", line=9
    )
    assert diagnostics[2].message == "undefined symbol: bar"
    assert (
        Diagnostic(
            severity="note", message="declared here", path="kernelset/hip.h", line=12
        )
        in diagnostics
    )
    assert [diagnostic.severity for diagnostic in diagnostics[-2:]] == [
        "warning",
        "note",
    ]


def test_a_flood_of_messages_is_cut() -> None:
    flood = (
        "unit.cu:1:1: warning: w\n" * 500 + "unit.cu:2:1: error: the one that matters\n"
    )
    diagnostics = parse_diagnostics(flood)
    assert len(diagnostics) == MAX_DIAGNOSTICS
    assert diagnostics[0].message == "the one that matters"


def test_resources_of_each_kernel() -> None:
    first, second = parse_resource_remarks(REMARKS)
    assert first == Resources(
        symbol="_Z1kIfEvPT_i",
        registers=5,
        scalar_registers=11,
        accumulation_registers=0,
        spills=3,
        scratch_bytes=16,
        shared_bytes=1024,
        occupancy=8,
    )
    assert second == Resources(symbol="_Z1jv")


OF_NVCC = """\
unit.cu(3): warning #177-D: variable "x" was declared but never referenced
unit.cu(4): error: identifier "nobody_knows" is undefined
unit.cu:5:10: fatal error: a.h: No such file or directory
unit.cu(6): catastrophic error: out of memory
ptxas unit.ptx, line 23; error   : Not a name of any known instruction: 'foo'
ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x138800 bytes, 0xc000 max)
ptxas fatal   : Ptx assembly aborted due to errors
ptxas info    : 0 bytes gmem
1 error detected in the compilation of "unit.cu".
"""


def test_nvcc_and_its_assembler_are_understood() -> None:
    diagnostics = parse_diagnostics(OF_NVCC)
    assert [diagnostic.severity for diagnostic in diagnostics] == [
        "error",
        "fatal",
        "fatal",
        "error",
        "error",
        "fatal",
        "warning",
    ]
    assert diagnostics[0] == Diagnostic(
        severity="error",
        message='identifier "nobody_knows" is undefined',
        path="unit.cu",
        line=4,
    )
    assert [diagnostic.message for diagnostic in diagnostics[3:5]] == [
        "Not a name of any known instruction: 'foo'",
        "Entry function '_Z1kPf' uses too much shared data (0x138800 bytes, 0xc000 max)",
    ]


@pytest.mark.timeout(10)
def test_a_line_without_an_end_costs_no_more_than_its_length() -> None:
    assert parse_diagnostics("ptxas " + "; error " * 100_000) == ()
    assert parse_diagnostics("a(1" * 300_000) == ()
