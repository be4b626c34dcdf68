"""What must not be in a dataset is planted in a corpus, and each of it is caught."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt
MIT = (
    "MIT License\n\nCopyright (c) 2024 The {} authors\n\nPermission is hereby granted, free of"
    " charge, to any person obtaining a copy of this software and associated documentation files"
    ' (the "Software"), to deal in the Software without restriction\n\nTHE SOFTWARE IS PROVIDED'
    ' "AS IS", WITHOUT WARRANTY OF ANY KIND\n'
)
GPL = "// SPDX-License-Identifier: GPL-3.0-only\n"
# put together here, so that nobody takes it for a real one
SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


def kernel(name: str, *lines: str) -> str:
    """Return a kernel whose text is long enough to be recognised."""
    body = "\n".join(
        f"  if (i < n - {number}) y[i + {number}] = x[i] * {name}_{number}f(i);"
        for number in range(12)
    )
    helpers = "\n".join(
        f"__device__ float {name}_{number}f(int i) {{ return i * {number}.5f; }}"
        for number in range(12)
    )
    return (
        f"{helpers}\n__global__ void {name}(const float* x, float* y, int n) {{\n"
        f"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n{body}\n"
        + "".join(f"  {line}\n" for line in lines)
        + "}\n"
    )


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in {"LICENSE": MIT.format(folder.name), **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> list[Path]:
    blur, sharpen = kernel("blur"), kernel("sharpen")
    root = tmp_path / "corpus"
    return [
        write(root / "original", {"blur.cu": blur, "sharpen.cu": sharpen}),
        write(
            root / "zfork",
            {"blur.cu": f"// forked\n{blur}", "sharpen.cu": sharpen, "own.cu": ""},
        ),
        write(
            root / "user",
            {
                "third_party/original/blur.cu": blur.replace("[i] * b", "[i]*b"),
                "one.cu": kernel("one"),
                "two.cu": kernel("two"),
            },
        ),
        write(root / "copyleft", {"gpl.cu": GPL + kernel("gpl")}),
        write(root / "optedout", {"secretive.cu": kernel("secretive")}),
        write(root / "bench", {"known.cu": kernel("known", "y[0] += 1;")}),
        write(
            root / "leak",
            {
                "leak.cu": kernel(
                    "leak", f'const char* token = "{SECRET}"; (void)token;'
                )
            },
        ),
    ]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_plant_is_caught(
    kernelset: Kernelset, corpus: list[Path], tmp_path: Path
) -> None:
    kernelset.run("crawl", *corpus, "--targets", "sm_80", "--workers", 1, seconds=240)
    optouts = kernelset.home / "optouts"
    optouts.write_text("local:optedout\n")
    (kernelset.home / "kernelset.toml").write_text(f'optouts = "{optouts}"\n')
    benchmark = tmp_path / "benchmark.jsonl"
    task = {"task_id": 7, "canonical_solution": kernel("known")}
    benchmark.write_text(json.dumps(task) + "\n")

    rows_file, report_file = tmp_path / "kernels.jsonl", tmp_path / "report.jsonl"
    result = kernelset.run(
        *("export", "kernels", rows_file),
        *("--decontaminate", benchmark, "--contamination-report", report_file),
    )
    rows = {row["name"]: row for row in read_lines(rows_file)}
    # the fork and the vendored copy are not there a second time
    assert sorted(row["name"] for row in read_lines(rows_file)) == sorted(rows)
    assert sorted(rows) == ["blur", "leak", "one", "sharpen", "two"]
    assert {rows[name]["repo"]["name"] for name in ("blur", "sharpen")} == {"original"}
    assert "left out 3 near copies" in result.stderr
    assert "1 GPL-3.0-only (copyleft)" in result.stderr
    assert "left out 1 kernels that opted out" in result.stderr

    (contaminated,) = read_lines(report_file)
    assert contaminated["place"]["name"] == "known"
    assert contaminated["match"]["item"] == "benchmark.jsonl:1.canonical_solution"
    assert rows["leak"]["redactions"]["github-token"] >= 1
    assert SECRET not in rows_file.read_text()


def test_a_fork_and_what_is_vendored_are_in_the_split_of_their_original(
    kernelset: Kernelset, corpus: list[Path], tmp_path: Path
) -> None:
    kernelset.run("crawl", *corpus[:3], "--targets", "sm_80", "--workers", 1)
    folder = tmp_path / "dataset"
    kernelset.run(
        *("export", "kernels", folder, "--format", "huggingface", "--copies"),
        *("--splits", "a=0.5,b=0.5"),
    )
    notices = {path.name for path in (folder / "notices").iterdir()}
    assert notices == {"original.txt", "user.txt", "zfork.txt"}
    assert "The zfork authors" in (folder / "notices" / "zfork.txt").read_text()

    splits: dict[str, set[str]] = {}
    for split in ("a", "b"):
        file = tmp_path / f"{split}.jsonl"
        words = ("export", "kernels", file, "--copies", "--splits", "a=0.5,b=0.5")
        code = 0 if list((folder / "data").glob(f"{split}-*")) else 4
        kernelset.run(*words, "--split", split, code=code)
        for row in read_lines(file):
            splits.setdefault(row["name"], set()).add(split)

    assert set(splits) == {"blur", "sharpen", "one", "two"}
    assert all(len(own) == 1 for own in splits.values())
