"""A test as it is exported, and its judge, which candidates are handed to."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crawler.model import Case, Dialect, KernelUnit, Suite
from crawler.toolchains import discovery
from crawler.validate.emulator.program import build_cpu_program
from crawler.validate.harness.judged_test import JudgedTest
from crawler.validate.harness.project_folder import collect_cpu_headers, render_folder
from crawler.validate.values.blobs import Blobs

CANDIDATES = Path(__file__).parents[2] / "truth" / "cheats"
HONEST = sorted(path.stem for path in CANDIDATES.glob("honest/*.cu"))
CHEATS = sorted(
    str(path.relative_to(CANDIDATES).with_suffix(""))
    for path in CANDIDATES.glob("*/*.cu")
    if path.parent.name != "honest"
)
READS_OUTPUTS = ("reads_outputs/assembles_them", "reads_outputs/embeds_them")
COMPILE_TIME = (*READS_OUTPUTS, "reads_outputs/includes_the_reference")
"""Candidates that have to have the outputs, or the reference, to compile."""
BLOCK = 64
NAME = "test_k"
SEED = "7"


@dataclass(frozen=True)
class Exported:
    folder: Path
    judge: Path

    def judge_candidate(
        self, candidates: Path, *options: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                *(self.judge, self.folder, NAME, "--candidates", candidates),
                *("--compiler", compiler(), "--seed", SEED, *options),
            ],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def place(self, candidate: str, folder: Path, sources: Path = CANDIDATES) -> Path:
        """Write a candidate as the judge looks for it, and return its folder."""
        text = (sources / f"{candidate}.cu").read_text()
        folder.mkdir()
        written = text.replace("@FOLDER@", str(self.folder))
        (folder / f"{NAME}.cu").write_text(written)
        return folder


def make_suite(making: Any) -> tuple[KernelUnit, Suite, Blobs]:
    """Return the kernel that all candidates are for, with its cases and their contents."""
    source = (CANDIDATES / "kernel.cu").read_text()
    unit = making.unit(source, "sum_squares", Dialect.CUDA)
    program = build_cpu_program(unit)
    blobs, argument = Blobs(), making.given

    def case(name: str, n: int) -> Case:
        blocks = -(-n // BLOCK)
        # knows_cases/the_inputs knows how these are made
        values = [(index * 7 % 11 - 5) * 0.37 for index in range(n)]
        arguments = [
            argument("in", values),
            argument("out", blocks, True),
            argument("n", n),
        ]
        plain: Case = making.case(blobs, name, arguments, grid=blocks, block=BLOCK)
        return replace(plain, shared_bytes=4 * BLOCK)

    sizes = {"ordinary": 300, "smallest": 1, "ragged": 77, "large": 640}
    cases = [case(name, n) for name, n in sizes.items()]
    return unit, making.suite(unit, program, cases, blobs), blobs


def export_tests(
    test: JudgedTest, folder: Path, others: Mapping[str, bytes] | None = None
) -> Exported:
    """Write a test as exports do, with `others` beside it, and build its judge."""
    tests, judge = folder / "tests", folder / "judge"
    files = {**render_folder([test]), **collect_cpu_headers(), **(others or {})}
    for name, content in files.items():
        path = tests / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    words = [compiler(), "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*words, tests / "judge/judge.cpp", "-o", judge], check=True)
    return Exported(folder=tests, judge=judge)


def compiler() -> str:
    clang = discovery.find_clang()
    assert clang is not None
    return str(clang.path)


def list_process_names() -> set[str]:
    names = set()
    for path in Path("/proc").glob("[0-9]*/comm"):
        # others end meanwhile
        with suppress(OSError):
            names.add(path.read_text().strip())
    return names
