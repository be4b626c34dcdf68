"""A judge with a GPU refuses each candidate that cheats, too: by a compiler that stands for NVIDIA's.

It makes programs for the CPU's model. The box is that of a GPU, which holds less than that of a
CPU: its devices are there, and no limit of memory is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from crawler.validate.harness.judged_test import build_judged_test
from tests.integration.harness.exported_judge import (
    CHEATS,
    COMPILE_TIME,
    HONEST,
    NAME,
    Exported,
    compiler,
    export_tests,
    make_suite,
)

pytestmark = [pytest.mark.apt("bwrap"), pytest.mark.slow]
FOLDERS = sorted({name.partition("/")[0] for name in CHEATS})


def make_vendor_compiler(exported: Exported, folder: Path) -> Path:
    """Write an `nvcc` of a toolkit that has no device."""
    trees = sorted((exported.folder / "include").iterdir())
    options = " ".join(f"-isystem {tree}" for tree in trees)
    # what the judge does itself for a CPU, nvcc needs nobody to do
    shared = r"OPEN_SHARED \1 OPEN_NAME(\2)[] OPEN_END;"
    rewrite = rf"s/extern __shared__ (\w+) (\w+)\[\];/{shared}/"
    script = folder / "bin/nvcc"
    script.parent.mkdir()
    script.write_text(
        f"#!/bin/sh\n[ ! -f kernel.inc ] || sed -E -i '{rewrite}' kernel.inc\n"
        f'exec {compiler()} -x c++ -w -O1 -ffp-contract=off {options} "$@"\n'
    )
    script.chmod(0o755)
    return script


@pytest.fixture(scope="module")
def exported_judge(making: Any, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """The folder of the test that all candidates are for, and the judge of it."""
    unit, suite, blobs = make_suite(making)
    test = build_judged_test(unit, suite, blobs, name=NAME)
    return export_tests(test, tmp_path_factory.mktemp("gpu"))


def judge_all(
    exported: Exported, names: Sequence[str], folder: Path
) -> dict[str, list[str]]:
    """Return what is wrong with each of some candidates; nothing where it is right."""
    words = ["--backend", "cuda", "--format", "json"]
    words += ["--compiler", str(make_vendor_compiler(exported, folder))]
    first, *others = (
        exported.place(name, folder / str(number)) for number, name in enumerate(names)
    )
    for other in others:
        words += ["--candidates", str(other)]
    ended = exported.judge_candidate(first, *words)
    reports = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(reports) == len(names), ended.stdout[-2000:] + ended.stderr
    messages = {}
    for name, report in zip(names, reports, strict=True):
        cases = [case["message"] for case in report["cases"]]
        assert report["problem"] or len(cases) == 4
        messages[name] = [text for text in (report["problem"], *cases) if text]
    return messages


def test_honest_candidates_pass_on_a_gpu(
    exported_judge: Exported, tmp_path: Path
) -> None:
    names = [f"honest/{name}" for name in HONEST]
    messages = judge_all(exported_judge, names, tmp_path)
    assert messages == {name: [] for name in names}


@pytest.mark.parametrize("folder", FOLDERS)
def test_cheats_are_refused_on_a_gpu(
    exported_judge: Exported, tmp_path: Path, folder: str
) -> None:
    names = [name for name in CHEATS if name.startswith(f"{folder}/")]
    messages = judge_all(exported_judge, names, tmp_path)
    assert [name for name, wrong in messages.items() if not wrong] == []
    has_no_program = {
        name for name, (first, *_) in messages.items() if "does not compile" in first
    }
    assert has_no_program == set(COMPILE_TIME) & set(names)
