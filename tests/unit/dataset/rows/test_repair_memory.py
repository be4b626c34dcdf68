"""What a model tried goes out as GaAgent's tools keep it, and comes in again as theirs does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from crawler.dataset.imported.tritonbench_results import TritonBenchResults
from crawler.dataset.rows.repair_memory import render_repair_files
from crawler.model import AttemptVerdict, CompletionAttempt

BROKEN = CompletionAttempt(
    series="s",
    kernel="0/k",
    unit="u",
    purpose="repair",
    number=1,
    model="m",
    parameters="{}",
    source="int a = b;\n",
    verdict=AttemptVerdict.BROKEN,
    messages="b?",
)
WRONG = replace(
    BROKEN,
    number=2,
    source="int a = 1;\n",
    verdict=AttemptVerdict.WRONG,
    messages="out[3]",
    reflection="There is no b, says ada@lovelace-family.org.",
)
WORSE = replace(WRONG, number=3, source="int a = 2;\n", reflection="Two.")
RIGHT = replace(
    WRONG,
    number=4,
    source="int a = 3;\n",
    verdict=AttemptVerdict.RIGHT,
    messages="",
    reflection="Three.",
)


def render(*attempts: CompletionAttempt) -> dict[str, str]:
    return render_repair_files(attempts, ["u"], "k.hip")


def test_candidates_are_what_came_through_a_stage() -> None:
    files = render(BROKEN, WRONG, WORSE, WRONG, RIGHT)
    assert files["candidate_call_fix"] == "int a = 1;\n"
    assert files["candidate_call_fix_2"] == "int a = 2;\n"
    assert files["candidate_exe_fix"] == "int a = 3;\n"
    assert not [name for name in files if name.startswith("candidate_perf")]
    assert "# Reflection before attempt 3\n\nTwo.\n" in files["reflection_strategy.md"]
    assert "lovelace" not in "".join(files.values())
    memory = json.loads(files["_mem.json"])["k.hip"]
    assert (memory["written_by"], memory["model"]) == ("model", "m")
    assert (memory["pass_call"], memory["pass_exe"], memory["pass_perf"]) == (
        True,
        True,
        None,
    )


def test_a_time_that_is_good_is_a_candidate_of_its_own() -> None:
    files = render(replace(RIGHT, pass_perf={"rocm:gfx942": "pass"}), RIGHT)
    assert files["candidate_perf_fix_1"] == "int a = 3;\n"
    assert "candidate_perf_fix_2" not in files


def test_of_what_was_not_tried_there_is_nothing() -> None:
    assert render() == {}
    assert render(replace(RIGHT, unit="v"), replace(RIGHT, purpose="describe")) == {}
    assert render(replace(BROKEN, code="endpoint-busy")) == {}
    assert list(render(BROKEN)) == ["_mem.json"]


def test_the_memory_is_read_as_gaagents_is(tmp_path: Path) -> None:
    rows, memory = tmp_path / "results.jsonl", tmp_path / "results_mem.json"
    rows.write_text(json.dumps({"instruction": "w", "filename": "k.hip"}))
    memory.write_text(render(BROKEN, WRONG)["_mem.json"])
    (sample,) = TritonBenchResults(rows, memory)
    assert (sample.pass_call, sample.pass_exe, sample.pass_perf) == (True, False, None)
    assert (sample.exe_error, sample.call_error) == ("out[3]", "")
    assert sample.call_candidates == ("int a = 1;\n",)
    assert sample.exe_candidates == ()
    assert sample.reflection.startswith("There is no b")

    memory.write_text(render(BROKEN)["_mem.json"])
    (sample,) = TritonBenchResults(rows, memory)
    assert (sample.pass_call, sample.pass_exe, sample.call_error) == (False, None, "b?")


def test_what_is_right_and_slow_is_an_exe_fix_and_no_perf_fix() -> None:
    slow = replace(
        RIGHT,
        number=5,
        source="int a = 4;\n",
        verdict=AttemptVerdict.SLOW,
        pass_perf={"cpu": "fail"},
        messages="9 steps",
    )
    quick = replace(slow, source="int a = 5;\n", pass_perf={"cpu": "pass"})
    files = render(WRONG, replace(quick, verdict=AttemptVerdict.RIGHT), slow)
    assert files["candidate_exe_fix"] == "int a = 5;\n"
    assert files["candidate_exe_fix_2"] == "int a = 4;\n"
    assert files["candidate_perf_fix_1"] == "int a = 5;\n"
    memory = json.loads(files["_mem.json"])["k.hip"]
    assert (memory["pass_exe"], memory["pass_perf"]) == (True, False)
    assert (memory["exe_err_msg"], memory["perf_err_msg"]) == ("", "9 steps")
    uncounted = render(replace(RIGHT, pass_perf={"cpu": "skipped"}))
    assert json.loads(uncounted["_mem.json"])["k.hip"]["pass_perf"] is None
