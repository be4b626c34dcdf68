"""Logs of launches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.programs.runs.launch_log import parse_launch_log

LOG = """test 7
instance 3 0 [T = unsigned int, N = 2]
launch 1 0 8 1 1 128 1 1 1024 3
finding out-of-bounds 3 2 0 0 5 0 0 17 4 160 0 160
wrote 1 ce43 cbf2 8028
end 1 1 4280254
unwritten 12
launch 2 -1 1 1 1 32 1 1 0 0
end 2 0 10
refused cudaGraphLaunch
failed 1
"""


def test_launches_come_in_their_order() -> None:
    first, second = parse_launch_log(LOG).launches

    assert (first.kernel, first.grid, first.block) == (0, (8, 1, 1), (128, 1, 1))
    assert (first.written, first.overwritten) == ("ce43", "cbf2")
    assert first.is_finished
    assert not second.is_finished


def test_a_launch_says_its_instantiation_and_its_test() -> None:
    first, second = parse_launch_log(LOG).launches

    assert (first.arguments, first.test) == ("[T = unsigned int, N = 2]", 7)
    assert second.arguments == ""


def test_findings_belong_to_the_launch_before_them() -> None:
    first, second = parse_launch_log(LOG).launches
    finding = first.find_finding("out-of-bounds")

    assert finding is not None
    assert (finding.line, finding.offset, finding.size) == (17, 160, 160)
    assert finding.thread == (5, 0, 0)
    assert second.findings == []


def test_calls_that_were_refused_or_failed_are_told() -> None:
    log = parse_launch_log(LOG)

    assert log.refused_calls == ("cudaGraphLaunch",)
    assert log.failed_calls == (1,)
    assert log.copies_unwritten == 12


LINES = st.lists(
    st.lists(
        st.sampled_from(
            ["launch", "finding", "wrote", "end", "failed", "-1", "0", "7", "-", "²"]
        )
        | st.just("9" * 5000),
        max_size=14,
    ).map(" ".join)
)


@given(LINES)
def test_whatever_a_program_writes_there_has_as_many_launches_as_it_says(
    lines: list[str],
) -> None:
    log = parse_launch_log("\n".join(lines))

    announced = [line for line in lines if line.split()[:1] == ["launch"]]
    assert len(log.launches) == sum(len(line.split()) == 11 for line in announced)


def test_a_number_that_is_too_long_is_none() -> None:
    assert parse_launch_log("failed " + "9" * 5000).failed_calls == (0,)


def test_a_launch_with_findings_without_end_is_bounded() -> None:
    finding = "finding race 1 0 0 0 0 0 0 0 0 0 0 0\n"
    (launch,) = parse_launch_log(
        "launch 1 0 1 1 1 1 1 1 0 0\n" + finding * 1000
    ).launches

    assert len(launch.findings) == 64


def test_a_program_that_launches_without_end_is_bounded() -> None:
    log = parse_launch_log("launch 1 0 1 1 1 1 1 1 0 0\n" * 200_001)

    assert len(log.launches) == 200_000


def test_a_file_that_is_in_another_folder_is_not_missing() -> None:
    log = parse_launch_log("missing a.txt\nmissing data/b.txt\nopened ../data/a.txt\n")

    assert log.missing_files == ("data/b.txt",)
