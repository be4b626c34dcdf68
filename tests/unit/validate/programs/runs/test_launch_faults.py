"""Faults of kernels, read off the logs of several runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.validate.programs.runs.launch_faults import (
    ProgramRuns,
    find_faults,
    list_agreeing_kernels,
)
from crawler.validate.programs.runs.launch_log import parse_launch_log
from crawler.validate.programs.runs.program_runs import ProgramRun


def launch(
    number: int,
    kernel: int,
    written: str,
    *findings: str,
    overwritten: str = "0",
    finished: int = 1,
    nanoseconds: int = 1000,
    instance: int = 0,
) -> str:
    lines = [f"launch {number} {kernel} 2 1 1 64 1 1 0 {instance}"]
    lines += [f"finding {kind} 1 1 0 0 5 0 0 17 3 160 0 160" for kind in findings]
    lines += [f"wrote {number} {written} {overwritten} 8"] if finished else []
    lines += [f"end {number} {finished} {nanoseconds}"]
    return "\n".join(lines) + "\n"


def run(*launches: str, output: str = "") -> ProgramRun:
    return ProgramRun(
        log=parse_launch_log("".join(launches)), exit_code=0, output=output
    )


def find_codes(
    poisoned: ProgramRun,
    *,
    zeroed: ProgramRun | None = None,
    refilled: ProgramRun | None = None,
    backwards: ProgramRun | None = None,
    again: ProgramRun | None = None,
) -> dict[int, str]:
    runs = ProgramRuns(
        poisoned=poisoned,
        zeroed=zeroed or poisoned,
        reversed=backwards or poisoned,
        refilled=refilled,
    )
    faults = find_faults(runs, lambda: again or poisoned)
    return {kernel: fault.code for (kernel, _), fault in faults.items()}


CLEAN = run(launch(1, 0, "a"), launch(2, 1, "b"))


def test_runs_that_agree_show_no_fault() -> None:
    assert find_codes(CLEAN) == {}


def test_a_finding_is_a_fault_of_its_kernel_and_says_where() -> None:
    poisoned = run(launch(1, 0, "a"), launch(2, 1, "b", "out-of-bounds"))
    runs = ProgramRuns(poisoned=poisoned, zeroed=poisoned, reversed=poisoned)

    fault = find_faults(runs, lambda: poisoned)[1, ""]

    assert fault.message == (
        "out-of-bounds at byte 160 of an allocation of 160 in launch 2"
        " <<<(2, 1, 1), (64, 1, 1)>>>: block (1, 0, 0), thread (5, 0, 0), line 17"
    )


def test_the_first_launch_that_differs_with_zeros_reads_what_nobody_wrote() -> None:
    zeroed = run(launch(1, 0, "c"), launch(2, 1, "d"))

    assert find_codes(CLEAN, zeroed=zeroed) == {0: "uninitialised-read"}


def test_what_only_large_numbers_change_reads_what_nobody_wrote() -> None:
    refilled = run(launch(1, 0, "a"), launch(2, 1, "d"))

    assert find_codes(CLEAN, refilled=refilled) == {1: "uninitialised-read"}


def test_a_kernel_that_large_numbers_change_does_not_agree_with_itself() -> None:
    refilled = run(launch(1, 0, "a"), launch(2, 1, "d"))
    runs = ProgramRuns(poisoned=CLEAN, zeroed=CLEAN, reversed=CLEAN, refilled=refilled)

    assert list_agreeing_kernels(runs) == {0}


def test_a_program_that_differs_by_itself_is_not_blamed() -> None:
    zeroed = run(launch(1, 0, "c"), launch(2, 1, "d"))

    assert find_codes(CLEAN, zeroed=zeroed, again=run(launch(1, 0, "e"))) == {}


def test_an_index_of_rubbish_is_a_read_of_what_nobody_wrote() -> None:
    poisoned = run(launch(1, 0, "a", "out-of-bounds"))

    codes = find_codes(poisoned, zeroed=run(launch(1, 0, "z")))

    assert codes == {0: "uninitialised-read"}


def test_an_overflow_of_rubbish_that_nothing_depends_on_is_none() -> None:
    poisoned = run(launch(1, 0, "a", "integer-overflow"))

    assert find_codes(poisoned, zeroed=run(launch(1, 0, "a"))) == {}
    assert find_codes(poisoned) == {0: "integer-overflow"}


def test_who_writes_last_decides_where_orders_differ() -> None:
    poisoned = run(launch(1, 0, "a", overwritten="1"))
    backwards = run(launch(1, 0, "b", overwritten="2"))

    assert find_codes(poisoned, backwards=backwards) == {0: "race"}


def test_a_race_is_named_before_memory_that_it_leaves_unwritten() -> None:
    backwards = run(launch(1, 0, "e", overwritten="9"), launch(2, 1, "b"))
    refilled = run(launch(1, 0, "c"), launch(2, 1, "b"))

    assert find_codes(CLEAN, backwards=backwards, refilled=refilled) == {0: "race"}


def test_sums_of_atomics_may_differ_between_orders() -> None:
    assert find_codes(CLEAN, backwards=run(launch(1, 0, "c"))) == {}


def test_an_order_that_decides_what_is_read_of_what_others_still_change_is_a_race() -> (
    None
):
    counted = run(launch(1, 0, "a", "unordered-read"))
    backwards = run(launch(1, 0, "b", "unordered-read"))
    assert find_codes(counted, backwards=backwards) == {0: "race"}
    assert find_codes(counted, backwards=run(launch(1, 0, "b"))) == {0: "race"}
    assert not find_codes(run(launch(1, 0, "a")), backwards=run(launch(1, 0, "b")))
    assert not find_codes(counted)


def test_a_launch_that_ends_with_zeros_alone_waits_for_what_nobody_wrote() -> None:
    endless = run(launch(1, 0, "", "timeout", finished=0, nanoseconds=10_000_000_000))

    assert find_codes(endless, zeroed=run(launch(1, 0, "a"))) == {
        0: "uninitialised-read"
    }


def test_a_launch_that_was_only_slow_is_not_blamed() -> None:
    slow = run(launch(1, 0, "", "timeout", finished=0, nanoseconds=1500))

    assert find_codes(slow, zeroed=run(launch(1, 0, "a"))) == {}


@pytest.mark.parametrize(
    ("again", "codes"), [("1", {1: "uninitialised-read"}), ("3", {})]
)
def test_unwritten_results_that_are_printed_are_blamed_on_the_last_launch(
    again: str, codes: dict[int, str]
) -> None:
    copied = parse_launch_log(launch(1, 0, "a") + launch(2, 1, "b") + "unwritten 4\n")
    poisoned = replace(run(output="1"), log=copied)
    zeroed = replace(poisoned, output="2")

    found_codes = find_codes(
        poisoned, zeroed=zeroed, again=replace(poisoned, output=again)
    )

    assert found_codes == codes


def test_kernels_agree_whose_launches_write_the_same_in_all_runs() -> None:
    backwards = run(launch(1, 0, "a"), launch(2, 1, "x"))
    runs = ProgramRuns(poisoned=CLEAN, zeroed=None, reversed=backwards)

    assert list_agreeing_kernels(runs) == {0}


def test_a_kernel_that_one_run_did_not_come_to_is_not_known_to_agree() -> None:
    runs = ProgramRuns(poisoned=CLEAN, zeroed=run(launch(1, 0, "a")), reversed=CLEAN)

    assert list_agreeing_kernels(runs) == {0}


def test_launches_are_compared_with_those_of_the_same_test() -> None:
    first, second, third = (
        launch(number, 0, "a", overwritten=str(number)) for number in (1, 2, 3)
    )
    poisoned = run("test 1\n", first, second, "test 2\n", third)
    # a test that ends before its second launch
    backwards = run("test 1\n", first, "test 2\n", third)

    assert find_codes(poisoned, backwards=backwards) == {}


def test_another_instantiation_is_not_compared() -> None:
    first = launch(1, 0, "a", overwritten="1", instance=1)
    other = launch(1, 0, "b", overwritten="2", instance=1)
    poisoned = run("instance 1 0 [T = int]\n", first)
    backwards = run("instance 1 0 [T = float]\n", other)

    assert find_codes(poisoned, backwards=backwards) == {}
