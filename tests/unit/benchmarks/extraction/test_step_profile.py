"""What extraction costs is measured step by step."""

from __future__ import annotations

from pathlib import Path

from benchmarks.extraction.extract_speed import extract_in_child
from benchmarks.extraction.step_profile import profile_steps
from crawler.builds.database.compile_database import build_compile_database


def test_what_extraction_costs_is_told_by_step(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        "template <class T> __global__ void k(T* x) { *x = 1; }\n__global__ void l() {}\n"
    )
    commands = build_compile_database(tmp_path).commands
    (facts,), cost_of_child = extract_in_child(tmp_path, commands)
    assert [kernel.name for kernel in facts.kernels] == ["k", "l"]
    assert cost_of_child.seconds > 0
    steps = {
        label: float(share.rstrip("%"))
        for label, share in profile_steps(tmp_path, commands)
    }
    assert {"clang's parse", "closures", "uses of kernels in the AST"} <= set(steps)
    assert 95 < sum(steps.values()) < 105
