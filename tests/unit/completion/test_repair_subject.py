"""What a model is asked to repair: what fails for the targets of a user, and nothing else."""

from __future__ import annotations

from crawler.completion.repair_subject import RepairSubject, find_repairs
from crawler.model import (
    Behaviour,
    Build,
    Diagnostic,
    FlagsOrigin,
    KernelRecord,
    KernelUnit,
    Provenance,
    Repo,
    Run,
    Status,
    Toolchain,
    Verdict,
)
from crawler.port.port import port_unit
from tests.plain import HERE, plain_kernel, plain_unit

UNIT = plain_unit("#include <kernelset/cuda.cuh>\n__global__ void k(int* x) {}\n")
PORT = port_unit(UNIT)
REPO = Repo(source="git", owner="o", name="n", url="u", ref="main", commit="1")
TARGETS = ("sm_80", "gfx90a", "gfx942")
TOOLCHAIN = Toolchain(compiler="clang")


def build(unit: KernelUnit, target: str, status: Status, message: str = "") -> Build:
    return Build(
        unit=unit.digest,
        target=target,
        toolchain=TOOLCHAIN,
        pass_call=Verdict(status=status, code="compile-error", message=message),
        diagnostics=(Diagnostic(severity="error", message=message, path="u", line=3),),
    )


def find(*builds: Build, runs: tuple[Run, ...] = ()) -> list[RepairSubject]:
    record = KernelRecord(
        kernel=plain_kernel(UNIT),
        provenance=Provenance(
            repo=REPO, span=HERE, snapshot="", flags_origin=FlagsOrigin.EXPORTED
        ),
        ports=(PORT,),
        builds=builds,
        runs=runs,
    )
    return list(find_repairs(record, TARGETS, lambda digest: b""))


def test_a_port_that_fails_is_asked_about_for_all_its_targets() -> None:
    (subject,) = find(
        build(UNIT, "sm_80", Status.PASS),
        build(PORT, "gfx90a", Status.FAIL, "no such word"),
        build(PORT, "gfx942", Status.PASS),
    )
    assert (subject.unit, subject.original) == (PORT, UNIT)
    assert subject.targets == ("gfx90a", "gfx942")
    assert subject.problem == "gfx90a: compile-error: no such word\nu:3: no such word"
    assert not subject.has_cases
    assert subject.task.language == "hip"
    assert subject.task.signature == "__global__ void k(int* x)"


def test_what_rules_could_not_port_is_asked_about_too() -> None:
    (subject,) = find(build(PORT, "gfx90a", Status.UNSUPPORTED, "inline PTX"))
    assert subject.unit == PORT


def test_of_a_unit_that_fails_itself_no_port_is_asked_about() -> None:
    (subject,) = find(
        build(UNIT, "sm_80", Status.FAIL), build(PORT, "gfx90a", Status.FAIL)
    )
    assert (subject.unit, subject.original) == (UNIT, None)
    assert subject.targets == ("sm_80",)


def test_what_passes_or_was_not_tried_is_left_alone() -> None:
    assert not find()
    assert not find(build(PORT, "gfx90a", Status.PASS))
    assert not find(build(PORT, "gfx90a", Status.SKIPPED))
    assert not find(build(PORT, "gfx1100", Status.FAIL))
    # another compiler takes it
    assert not find(
        build(PORT, "gfx90a", Status.FAIL), build(PORT, "gfx90a", Status.PASS)
    )


def test_a_wrong_run_without_cases_cannot_be_judged() -> None:
    run = Run(
        unit=PORT.digest,
        device="rocm:gfx90a",
        toolchain=TOOLCHAIN,
        pass_exe=Verdict(status=Status.FAIL, code="wrong-output"),
        behaviour=Behaviour.DETERMINISTIC,
    )
    assert not find(build(PORT, "gfx90a", Status.PASS), runs=(run,))


def test_messages_are_bounded() -> None:
    (subject,) = find(build(PORT, "gfx90a", Status.FAIL, "long " * 10_000))
    assert len(subject.problem) == 6000
