from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.builds.commands.database_entries import DatabaseEntry
from crawler.builds.make.make_call import MakeCall
from crawler.builds.make.make_session import MakeSession
from crawler.builds.make.makefile_runs import _list_new_calls
from crawler.builds.make.makefiles import Makefiles
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import FlagsOrigin
from crawler.process_limits import Limits

KERNEL = "__global__ void k();\n"
Plant = Callable[[dict[str, str]], IncludeGraph]


@pytest.fixture
def session(plant: Plant) -> MakeSession:
    return MakeSession(plant({"src/k.cu": KERNEL, "src/l.cu": KERNEL}))


def test_a_call_is_made_with_its_makefile_assignments_and_goals() -> None:
    call = MakeCall(
        folder="lib", makefile="Makefile.gpu", assignments=("CUDA=1",), goals=("all",)
    )
    assert call.arguments == ("-f", "Makefile.gpu", "CUDA=1", "all")


def test_entries_of_the_checkout_become_commands(session: MakeSession) -> None:
    entries = [
        DatabaseEntry(
            file="src/k.cu", directory=".", arguments=["nvcc", "-DX", "k.cu"]
        ),
        DatabaseEntry(file="/etc/passwd.cu", directory=".", arguments=["nvcc", "x"]),
    ]
    session.add_entries("make -n in .", entries)
    (command,) = session.commands
    assert (command.file, command.origin) == ("src/k.cu", FlagsOrigin.RECORDED)
    assert session.covered_files == {"src/k.cu"}
    assert session.logs[0].startswith("make -n in .: 1 commands\n")


def test_a_log_without_entries_is_noted(session: MakeSession) -> None:
    session.add_entries("make -n in lib", [])
    assert session.commands == []
    assert session.logs[0].startswith("make -n in lib: 0 commands")


def test_limits_are_cut_to_the_time_that_is_left(session: MakeSession) -> None:
    session.deadline = time.monotonic() + 10
    limits = session.limit_time(Limits(seconds=25))
    assert limits is not None
    assert 9 < (limits.seconds or 0) <= 10
    short_limits = session.limit_time(Limits(seconds=2))
    assert short_limits is not None
    assert short_limits.seconds == 2


def test_without_time_the_rest_is_left_out_and_said_so(session: MakeSession) -> None:
    session.deadline = time.monotonic()
    assert session.limit_time(Limits(seconds=25)) is None
    assert "the rest was left out" in session.logs[0]


def test_what_a_run_wrote_is_in_the_graph_and_not_in_the_original_tree(
    session: MakeSession, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    (copy / "src").mkdir(parents=True)
    for name in ("src/k.cu", "src/l.cu"):
        (copy / name).write_text(KERNEL)
    (copy / "src/made.h").write_text("#define MADE 1\n")
    session.add_build_output(copy)
    assert [file.text for file in session.build_output.files] == ["#define MADE 1\n"]
    (written_path,) = (file.path for file in session.build_output.files)
    assert written_path in session.graph.tree.files
    assert written_path not in session.original_tree.files
    assert set(session.original_tree.files) == {"src/k.cu", "src/l.cu"}


def test_a_call_that_was_made_is_not_made_again(plant: Plant) -> None:
    files = {"Makefile": "all:\n\tnvcc -c k.cu\nlib:\n", "k.cu": KERNEL}
    makefiles = Makefiles(plant(files))
    made_calls: set[MakeCall] = set()
    first = _list_new_calls(makefiles, [""], made_calls, all_goals=False)
    assert [call.goals for call in first] == [()]
    assert _list_new_calls(makefiles, ["", ""], made_calls, all_goals=False) == []
    with_goals = _list_new_calls(makefiles, [""], made_calls, all_goals=True)
    assert [call.goals for call in with_goals] == [("all", "lib")]
