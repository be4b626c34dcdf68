"""Reasons why a kernel is worth less than it could be."""

from __future__ import annotations

from dataclasses import replace

from crawler.dataset.rows.rejection_row import Rejection, list_rejections
from crawler.model import KernelRecord, Status, Verdict
from tests.run_records import make_run_records

RAN, FAILED = make_run_records()


def list_of_stage(record: KernelRecord, stage: str) -> list[Rejection]:
    return [
        rejection for rejection in list_rejections(record) if rejection.stage == stage
    ]


def test_a_kernel_without_a_unit_says_why_with_its_own_text() -> None:
    (rejection,) = list_of_stage(FAILED, "extract")

    assert (rejection.code, rejection.message) == ("unresolved", "Foo")
    assert rejection.source == FAILED.kernel.source
    assert rejection.unit == ""


def test_each_place_that_no_rule_ports_is_one() -> None:
    (rejection,) = list_of_stage(FAILED, "port")

    assert (rejection.code, rejection.line) == ("mma", 3)
    assert rejection.status == Status.UNSUPPORTED


def test_a_run_that_went_wrong_is_that_of_its_unit_alone() -> None:
    (rejection,) = list_of_stage(RAN, "pass_exe")

    assert rejection.unit == RAN.ports[0].digest
    assert rejection.source == RAN.ports[0].source
    assert (rejection.code, rejection.processor) == ("race", "cpu")


def test_a_build_that_a_newer_compiler_made_good_is_none() -> None:
    good = RAN.builds[0]
    refusal = Verdict(status=Status.FAIL, code="compile-error")
    refused = replace(good, pass_call=refusal)

    assert list_of_stage(replace(RAN, builds=(refused, good)), "pass_call") == []
    (rejection,) = list_of_stage(replace(RAN, builds=(refused,)), "pass_call")
    assert (rejection.code, rejection.processor) == ("compile-error", good.target)


def test_what_is_missing_on_the_machine_rejects_nothing() -> None:
    skipped = replace(RAN.builds[0], pass_call=Verdict(status=Status.SKIPPED))

    assert list_of_stage(replace(RAN, builds=(skipped,)), "pass_call") == []
