"""An extraction goes on where it ended."""

from __future__ import annotations

from pathlib import Path

from benchmarks.kernel_units.resumable_extraction import extract_resumably, read_cost


def test_an_extraction_that_ended_goes_on_where_it_was(tmp_path: Path) -> None:
    project, folder = tmp_path / "project", tmp_path / "kept"
    project.mkdir()
    for name in ("a.cu", "b.cu"):
        (project / name).write_text("__global__ void k(int* x) { *x = 1; }\n")
    first = extract_resumably(project, folder)
    assert [[kernel.name for kernel in facts.kernels] for facts in first] == [
        ["k"],
        ["k"],
    ]
    next(folder.glob("*.facts")).unlink()
    assert extract_resumably(project, folder) == first
    assert len((folder / "costs.jsonl").read_text().splitlines()) == 3
    seconds, peak = read_cost(folder)
    assert seconds >= 0
    assert peak > 1 << 20
