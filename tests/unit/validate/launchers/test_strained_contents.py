"""What kernels do with contents that nothing keeps from them."""

from __future__ import annotations

from crawler.validate.launchers.strained_contents import (
    Strain,
    describe_strain,
    find_half_checks,
)
from crawler.validate.programs.runs.launch_log import (
    LaunchFinding,
    LaunchLog,
    LoggedLaunch,
)
from crawler.validate.programs.runs.program_runs import ProgramRun


def make_run(kind: str = "", *, is_finished: bool = True) -> ProgramRun:
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
                allocation=0,
                offset=-4,
                size=16,
            )
        )
    return ProgramRun(log=LaunchLog(launches=(launch,)), exit_code=0, output="")


def find_strains(
    negative: ProgramRun, near: ProgramRun, far: ProgramRun
) -> list[Strain]:
    runs = {Strain.NEGATIVE: negative, Strain.NEAR: near, Strain.FAR: far}
    return [strain for _, _, strain in find_half_checks(runs)]


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
