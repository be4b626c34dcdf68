"""An exported test refuses each candidate that cheats, and takes each that is honest."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler.validate.harness.google_test import render_google_test
from crawler.validate.harness.judged_test import build_judged_test
from tests.integration.harness.exported_judge import (
    CHEATS,
    COMPILE_TIME,
    HONEST,
    NAME,
    READS_OUTPUTS,
    Exported,
    compiler,
    export_tests,
    list_process_names,
    make_suite,
)

pytestmark = [pytest.mark.apt("bwrap"), pytest.mark.slow]


@pytest.fixture(scope="module")
def exported_judge(making: Any, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """The folder of tests of a small kernel, and the judge in it."""
    unit, suite, blobs = make_suite(making)
    test = build_judged_test(unit, suite, blobs, name=NAME)
    google_test = render_google_test(unit, suite, name="google_test_k", test=NAME)
    other_files = {"google_test_k.cpp": google_test.encode()}
    return export_tests(test, tmp_path_factory.mktemp("exported"), other_files)


def test_there_are_enough_of_both() -> None:
    assert len(CHEATS) >= 15
    assert len(HONEST) >= 5


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_candidate_passes(
    exported_judge: Exported, tmp_path: Path, name: str
) -> None:
    ended = exported_judge.judge_candidate(
        exported_judge.place(f"honest/{name}", tmp_path / "c")
    )
    assert ended.returncode == 0, ended.stdout
    assert "0 of 4 cases failed" in ended.stdout


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_refused(
    exported_judge: Exported, tmp_path: Path, name: str
) -> None:
    ended = exported_judge.judge_candidate(exported_judge.place(name, tmp_path / "c"))
    assert ended.returncode == 1, ended.stdout
    has_no_program = "does not compile" in ended.stdout
    assert has_no_program == (name in COMPILE_TIME), ended.stdout


@pytest.mark.parametrize(
    "name",
    [
        "ends_otherwise/by_ending_the_judge",
        "ends_otherwise/with_another_judge",
        "redefines/the_files_of_the_test",
        *(name for name in CHEATS if name.startswith("reads_outputs/")),
    ],
)
def test_landlock_keeps_a_cheat_in_where_bubblewrap_does_not_work(
    exported_judge: Exported, tmp_path: Path, name: str
) -> None:
    candidates = exported_judge.place(name, tmp_path / "c")
    ended = exported_judge.judge_candidate(candidates, "--barrier", "landlock")
    assert ended.returncode == 1, ended.stdout
    assert ("does not compile" in ended.stdout) == (name in COMPILE_TIME)


@pytest.mark.parametrize("barrier", ["bwrap", "landlock", "none"])
def test_no_process_of_a_candidate_outlives_its_case(
    exported_judge: Exported, tmp_path: Path, barrier: str
) -> None:
    cheat = "ends_otherwise/with_a_process_left_behind"
    candidates = exported_judge.place(cheat, tmp_path / "c")
    ended = exported_judge.judge_candidate(candidates, "--barrier", barrier)
    assert ended.returncode == 1, ended.stdout
    assert "left-behind" not in list_process_names()


@pytest.mark.parametrize("name", [*READS_OUTPUTS, "reads_outputs/opens_them"])
def test_who_reads_the_outputs_that_are_shown_has_none_for_fresh_inputs(
    exported_judge: Exported, tmp_path: Path, name: str
) -> None:
    candidates = exported_judge.place(name, tmp_path / "c")
    ended = exported_judge.judge_candidate(candidates, "--barrier", "none")
    assert ended.returncode == 1, ended.stdout
    assert "Nothing keeps it in: a kernel may read any file of yours." in ended.stdout
    assert "[FAILED] ordinary: with fresh inputs: " in ended.stdout


def test_the_seed_that_is_said_draws_the_same_inputs_again(
    exported_judge: Exported, tmp_path: Path
) -> None:
    candidates = exported_judge.place("knows_cases/the_inputs", tmp_path / "c")
    first, again = (exported_judge.judge_candidate(candidates) for _ in range(2))
    assert "--seed 7\n" in first.stdout
    assert first.stdout == again.stdout
    other = exported_judge.judge_candidate(candidates, "--seed", "8")
    assert other.stdout.splitlines()[1:] != first.stdout.splitlines()[1:]


def test_steps_are_counted_of_what_is_right_and_are_the_same_each_time(
    exported_judge: Exported, tmp_path: Path
) -> None:
    def count(name: str) -> list[int]:
        candidates = tmp_path / name.replace("/", "-")
        if not candidates.exists():
            exported_judge.place(name, candidates)
        ended = exported_judge.judge_candidate(candidates, "--steps", "yes")
        return [int(n) for n in re.findall(r"(?:took|reference) (\d+)", ended.stdout)]

    own, reference = count("honest/itself")
    assert own == reference > 0
    # one thread adds up what 64 had added: more for its warp, whatever else is idle
    serial, same_reference = count("honest/other_order")
    assert (serial > 1.25 * reference, same_reference) == (True, reference)
    assert count("honest/other_order") == [serial, reference]


def test_what_is_missing_is_judged_by_nobody(
    exported_judge: Exported, tmp_path: Path
) -> None:
    ended = exported_judge.judge_candidate(tmp_path)
    assert ended.returncode == 2
    assert f"Nothing was judged: {tmp_path}/{NAME}.cu is not there" in ended.stdout


@pytest.mark.parametrize(
    ("file", "before", "after", "message"),
    [
        ("judge/test_k.cases", b"cases 4", b"cases 0", "there are no cases"),
        ("judge/test_k.cases", b"cases 4", b"cases 3", "ought to"),
        ("judge/test_k.cases", b"cases 4", b"cases 5", "ought to"),
        ("judge/test_k.cases", b"\nend\n", b"\n", "ends too early"),
        ("judge/test_k.cases", b"cases 1", b"cases 2", '"2" stands where "1"'),
        ("judge/test_k.bytes", b"", b"x", "are not those of these cases"),
        ("kernels/test_k.cu", b"partial[0]", b"0.f", "was changed"),
        ("kernels/test_k.cu", None, None, "is not there"),
        ("judge/test_k.cases", None, None, "is missing"),
        ("judge/test_k.bytes", None, None, "are not those of these cases"),
    ],
)
def test_a_folder_that_is_not_whole_is_judged_by_nobody(
    exported_judge: Exported,
    tmp_path: Path,
    file: str,
    before: bytes | None,
    after: bytes | None,
    message: str,
) -> None:
    folder = tmp_path / "tests"
    shutil.copytree(exported_judge.folder, folder)
    path = folder / file
    if before is None or after is None:
        path.unlink()
    else:
        assert before in path.read_bytes()
        path.write_bytes(path.read_bytes().replace(before, after, 1))
    ended = replace(exported_judge, folder=folder).judge_candidate(folder / "kernels")
    assert ended.returncode == 2, ended.stdout
    assert message in ended.stdout


FEW = {
    "honest/by_shuffles": True,
    "ends_otherwise/as_skipped": False,
    "redefines/the_report": False,
}


@pytest.mark.apt("cmake", "bwrap")
def test_ctest_passes_for_an_honest_candidate_alone(
    exported_judge: Exported, tmp_path: Path
) -> None:
    cmake, ctest = shutil.which("cmake"), shutil.which("ctest")
    assert cmake
    assert ctest
    build = tmp_path / "build"
    for number, (name, is_honest) in enumerate(FEW.items()):
        candidates = exported_judge.place(name, tmp_path / str(number))
        words = [
            f"-S{exported_judge.folder}",
            f"-B{build}",
            f"-DCANDIDATES={candidates}",
        ]
        compiler_word = f"-DCMAKE_CXX_COMPILER={compiler()}"
        subprocess.run([cmake, *words, compiler_word], check=True, capture_output=True)
        subprocess.run([cmake, "--build", build], check=True, capture_output=True)
        ended = subprocess.run(
            [ctest, "--test-dir", build, "--no-tests=error"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ended.returncode == 0) == is_honest, name + ended.stdout
        assert ("100% tests passed" in ended.stdout) == is_honest, name
        assert "Skipped" not in ended.stdout


def test_pytest_passes_for_an_honest_candidate_alone(
    exported_judge: Exported, tmp_path: Path
) -> None:
    for number, (name, is_honest) in enumerate(FEW.items()):
        candidates = exported_judge.place(name, tmp_path / str(number))
        ended = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-p",
                "no:cacheprovider",
            ],
            cwd=exported_judge.folder,
            env={
                **os.environ,
                "CXX": compiler(),
                "CANDIDATES": str(candidates),
                # what this project tests itself with takes seconds to load
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ended.returncode == 0) == is_honest, name + ended.stdout
        (summary,) = ended.stdout.splitlines()[-1:]
        assert ("2 passed" if is_honest else "1 failed, 1 passed") in summary
        assert "skipped" not in summary


@pytest.mark.apt("bwrap")
def test_googletest_tells_the_cases_of_a_candidate_that_are_wrong(
    exported_judge: Exported, tmp_path: Path
) -> None:
    program = tmp_path / "google_test_k"
    libraries = ("-lgtest", "-lgtest_main", "-pthread")
    subprocess.run(
        [compiler(), "-std=c++17", "google_test_k.cpp", "-o", program, *libraries],
        cwd=exported_judge.folder,
        check=True,
    )
    outcomes = {"honest/itself": (4, 0), "knows_cases/fewer_blocks": (1, 3)}
    for number, (name, (right, wrong)) in enumerate(outcomes.items()):
        candidates = exported_judge.place(name, tmp_path / str(number))
        ended = subprocess.run(
            [program],
            cwd=exported_judge.folder,
            env={**os.environ, "CXX": compiler(), "CANDIDATES": str(candidates)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (ended.returncode == 0) == (wrong == 0), ended.stdout
        assert ended.stdout.count("[       OK ] sumsquares.") == right
        assert ended.stdout.count("[  FAILED  ] sumsquares.") == 2 * wrong
