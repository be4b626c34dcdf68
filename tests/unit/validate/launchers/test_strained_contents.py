"""What kernels do with contents that nothing keeps from them."""

from __future__ import annotations

import pytest

from crawler.validate.launchers.strained_contents import (
    Strain,
    describe_strain,
    find_compared_faults,
    find_faults_with_ones,
    find_flag_races,
    find_gap_faults,
    find_half_checks,
    find_shared_races,
    find_varied_faults,
    list_enduring_kernels,
)
from crawler.validate.programs.runs.launch_log import (
    LaunchFinding,
    LaunchLog,
    LoggedLaunch,
)
from crawler.validate.programs.runs.program_runs import ProgramRun


def make_run(
    kind: str = "",
    *,
    is_finished: bool = True,
    allocation: int = 0,
    offset: int = -4,
) -> ProgramRun:
    """Return a run of one launch, with a finding of that kind."""
    launch = LoggedLaunch(
        number=1,
        kernel=0,
        grid=(1, 1, 1),
        block=(32, 1, 1),
        shared_bytes=0,
        test=1,
        is_finished=is_finished,
    )
    if kind:
        launch.findings.append(
            LaunchFinding(
                kind=kind,
                times=1,
                block=(0, 0, 0),
                thread=(0, 0, 0),
                line=0,
                allocation=allocation,
                offset=offset,
                size=16,
            )
        )
    return ProgramRun(log=LaunchLog(launches=(launch,)), exit_code=0, output="")


def find_strains(
    negative: ProgramRun,
    near: ProgramRun,
    far: ProgramRun,
    edge: ProgramRun | None = None,
) -> list[Strain]:
    runs = {
        Strain.NEGATIVE: negative,
        Strain.NEAR: near,
        Strain.FAR: far,
        Strain.EDGE: edge or make_run(),
    }
    enduring = list_enduring_kernels(far)
    return [strain for _, _, strain in find_half_checks(runs, enduring)]


def test_who_keeps_out_what_is_far_beyond_and_not_what_is_negative_checks_half() -> (
    None
):
    strains = find_strains(make_run("out-of-bounds"), make_run(), make_run())

    assert strains == [Strain.NEGATIVE]
    assert "below zero" in describe_strain(strains[0])


def test_who_keeps_out_nothing_relies_on_callers() -> None:
    faulty = make_run("out-of-bounds")

    assert find_strains(faulty, faulty, faulty) == []


def test_only_what_leaves_memory_counts() -> None:
    assert find_strains(make_run("race"), make_run("race"), make_run()) == []


def test_what_does_not_come_to_its_end_is_no_check() -> None:
    far = make_run(is_finished=False)

    assert find_strains(make_run("out-of-bounds"), make_run(), far) == []


def test_who_keeps_out_what_is_far_beyond_has_to_bear_the_edge_of_a_size() -> None:
    strains = find_strains(
        make_run(), make_run(), make_run(), make_run("out-of-bounds")
    )

    assert strains == [Strain.EDGE]
    assert "edge" in describe_strain(strains[0])


def test_other_real_numbers_show_races_of_shared_memory_alone() -> None:
    of_shared_memory = find_shared_races(make_run("race", allocation=-2))
    of_other_memory = find_shared_races(make_run("race"))
    excesses = find_shared_races(make_run("out-of-bounds", allocation=-2))

    assert [fault.code for _, fault, _ in of_shared_memory] == ["race"]
    assert [*of_other_memory, *excesses] == []


def test_who_bears_parts_that_end_with_the_list_has_to_bear_empty_ones() -> None:
    faulty = make_run("out-of-bounds")

    faults = list(find_gap_faults(make_run(), faulty))
    assert [(fault.code, strain) for _, fault, strain in faults] == [
        ("out-of-bounds", Strain.GAPS)
    ]
    assert "empty" in describe_strain(Strain.GAPS)


def test_whose_numbers_mean_indices_bears_no_bounds_and_is_not_asked_for_gaps() -> None:
    faulty = make_run("out-of-bounds")

    assert list(find_gap_faults(faulty, faulty)) == []
    assert list(find_gap_faults(make_run(is_finished=False), faulty)) == []
    assert list(find_gap_faults(make_run(), make_run("divide-by-zero"))) == []


def test_who_leaves_the_front_with_ones_is_to_blame() -> None:
    (faults,) = find_faults_with_ones(make_run("out-of-bounds"))

    assert faults[2] is Strain.ONES
    assert "one" in describe_strain(Strain.ONES)


def test_a_single_row_need_not_have_a_second_place() -> None:
    assert list(find_faults_with_ones(make_run("out-of-bounds", offset=16))) == []
    assert list(find_faults_with_ones(make_run("race"))) == []


def test_letters_are_no_indices_and_numbers_may_be() -> None:
    race, excess = make_run("race"), make_run("out-of-bounds")
    enduring = list_enduring_kernels(make_run())

    def find(run: ProgramRun, *, are_letters: bool, endures: bool) -> list[str]:
        faults = find_compared_faults(
            run, enduring if endures else (), are_letters=are_letters
        )
        return [fault.code for _, fault, _ in faults]

    assert find(race, are_letters=True, endures=False) == ["race"]
    assert find(race, are_letters=False, endures=True) == []
    assert find(excess, are_letters=False, endures=True) == ["out-of-bounds"]
    assert find(excess, are_letters=True, endures=False) == []


def test_what_a_launchers_checks_let_through_its_kernels_have_to_bear() -> None:
    faulty = make_run("out-of-bounds", allocation=-2, offset=64)

    assert [strain for *_, strain in find_varied_faults(faulty, {1})] == [Strain.VARIED]
    assert list(find_varied_faults(faulty, {2})) == []


def test_indices_that_a_check_lets_through_may_still_meet() -> None:
    assert list(find_varied_faults(make_run("race"), {1})) == []


@pytest.mark.parametrize(
    ("allocation", "plain_calls", "is_told"),
    [(0, {1}, True), (0, set[int](), False), (-2, set[int](), True)],
    ids=["no-indices", "indices-may-meet", "shared-memory"],
)
def test_a_race_under_another_flag_is_the_kernels(
    allocation: int, plain_calls: set[int], is_told: bool
) -> None:
    run = make_run("race", allocation=allocation)
    assert bool(list(find_flag_races(run, plain_calls))) is is_told


def test_what_leaves_memory_under_another_flag_may_be_for_its_shapes() -> None:
    assert not list(find_flag_races(make_run("out-of-bounds"), {1}))
