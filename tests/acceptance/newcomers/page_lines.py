"""Lines that the pages show to newcomers, and a project for them to crawl."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# a text block of a page, and what stands in it
BLOCK = re.compile(r"```(?:sh|text)\n(.*?)```", re.DOTALL)
SOURCE = """__global__ void gather_rows(float* to, const float* from, const int* rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[rows[i]];
}
void gather(float* to, const float* from, const int* rows, int n) {
  gather_rows<<<(n + 127) / 128, 128>>>(to, from, rows, n);
}
"""


def write_project(folder: Path) -> None:
    """Write somebody's own small project."""
    folder.mkdir(parents=True)
    (folder / "gather.cu").write_text(SOURCE)
    shutil.copy(ROOT / "tests/fixtures/projects/rollers/LICENSE", folder)


def read_lines(page: str, heading: str, exchange: Mapping[str, str]) -> list[str]:
    """Return the lines of the first block below a heading, with words of ours for the page's.

    What stands two spaces behind a command explains it, as a comment does.
    """
    # a line end in front: the page's first line may be the heading
    _, _, below = ("\n" + (ROOT / page).read_text()).partition(f"\n{heading}\n")
    block = BLOCK.search(below)
    assert block, heading
    lines = [re.split(r"  +|  #", line)[0] for line in block[1].splitlines()]
    for documented_word, ours in exchange.items():
        assert any(documented_word in line for line in lines), documented_word
        lines = [line.replace(documented_word, ours) for line in lines]
    return lines


def read_records(dataset: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in dataset.rglob("*.json")]
