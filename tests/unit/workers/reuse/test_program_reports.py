"""What programs of a commit show, each looked at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.codec import encode
from crawler.errors import MissingTool
from crawler.model import (
    CompileCommand,
    CompileDatabase,
    Dialect,
    FlagsOrigin,
    Kernel,
    Launch,
    Span,
)
from crawler.validate.launchers.author_code import AuthorCode
from crawler.validate.programs.author_launches import ProgramReport
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.programs.runs.kernel_launches import KernelLaunches
from storage.open import Storage
from tests.plain import plain_kernel, plain_unit
from workers.reuse import program_reports
from workers.reuse.program_reports import ProgramReports
from workers.workspace.snapshot import pack_snapshot
from workers.workspace.task_workspace import Workspace

TEXT = "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n"
REPORT = ProgramReport(
    kernels=(
        KernelLaunches(
            place=KernelPlace(path="a.cu", line=1), launches=1, configurations=()
        ),
    )
)


def make_kernel() -> Kernel:
    span = Span(path="a.cu", line=1, end_line=1, offset=0, end_offset=22)
    launch = Launch(span=span, kernel_name="k", grid="1", block="1")
    return plain_kernel(plain_unit(""), span=span, launches=(launch,))


@pytest.fixture
def reports(storage: Storage, workspace: Workspace, tmp_path: Path) -> ProgramReports:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.cu").write_text(TEXT)
    command = CompileCommand(
        directory=".",
        file="a.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )
    database = CompileDatabase(commands=(command,), strategies=())
    return ProgramReports(
        storage=storage,
        workspace=workspace,
        snapshot=storage.blobs.put(pack_snapshot(root, limit=1 << 20)),
        database=storage.blobs.put(encode(database)),
    )


def observe_once(monkeypatch: pytest.MonkeyPatch, report: ProgramReport) -> None:
    """Let the next program show `report`, and any other break."""
    remaining_reports = [report]

    def observe(root: Path, code: AuthorCode) -> ProgramReport:
        return remaining_reports.pop()

    monkeypatch.setattr(program_reports, "observe_author_code", observe)


def test_a_later_task_takes_what_an_earlier_one_saw(
    reports: ProgramReports, monkeypatch: pytest.MonkeyPatch
) -> None:
    observe_once(monkeypatch, REPORT)
    (evidence,) = reports.find_evidence(make_kernel())
    later = ProgramReports(
        storage=reports.storage,
        workspace=reports.workspace,
        snapshot=reports.snapshot,
        database=reports.database,
    )

    assert evidence.launches == REPORT.kernels[0]
    assert later.find_evidence(make_kernel()) == (evidence,)


def test_a_program_that_breaks_our_own_code_ends_no_batch(
    reports: ProgramReports, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(root: Path, code: AuthorCode) -> ProgramReport:
        raise RecursionError

    monkeypatch.setattr(program_reports, "observe_author_code", break_down)

    assert reports.find_evidence(make_kernel()) == ()


def test_without_a_sandbox_nothing_is_concluded(
    reports: ProgramReports, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(root: Path, code: AuthorCode) -> ProgramReport:
        raise MissingTool("no sandbox")

    monkeypatch.setattr(program_reports, "observe_author_code", refuse)

    with pytest.raises(MissingTool):
        reports.find_evidence(make_kernel())


def test_a_commit_without_a_compile_database_has_no_programs(
    reports: ProgramReports,
) -> None:
    reports.database = ""

    assert reports.find_evidence(make_kernel()) == ()
