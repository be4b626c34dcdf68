"""What an oracle's word makes of a run and its suite."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler import codec
from crawler.model import Behaviour, Oracle, Run, Status, Suite, Toolchain, Verdict
from crawler.validate.oracle_agreement import apply_agreement
from crawler.validate.oracle_interface import OracleAgreement
from crawler.validate.values.blobs import Blobs

SUITE = Suite(unit="u", seed=0, cases=())
RUN = Run(
    unit="u",
    device="cpu",
    toolchain=Toolchain(compiler="clang"),
    pass_exe=Verdict(status=Status.CONSISTENT, code="self-consistent"),
    behaviour=Behaviour.DETERMINISTIC,
)
AGREEMENT = OracleAgreement(
    oracle=Oracle.LIBRARY,
    implementation="`blur` of a library",
    agreeing_cases=("a", "b", "c"),
    differing_cases=(),
)


def test_a_conclusive_agreement_makes_a_consistent_run_pass() -> None:
    blobs = Blobs()
    run, suite = apply_agreement(RUN, SUITE, blobs, AGREEMENT)
    assert run.pass_exe.status is Status.PASS
    assert run.pass_exe.message == "`blur` of a library gives the same in 3 cases"
    assert (run.oracle, suite.oracle) == (Oracle.LIBRARY, Oracle.LIBRARY)
    assert codec.decode(blobs.get(run.suite), Suite) == suite


@pytest.mark.parametrize(
    "agreement",
    [
        replace(AGREEMENT, agreeing_cases=("a", "b")),
        replace(AGREEMENT, differing_cases=("d",)),
        replace(AGREEMENT, agreeing_cases=()),
    ],
)
def test_less_than_that_changes_nothing(agreement: OracleAgreement) -> None:
    assert apply_agreement(RUN, SUITE, Blobs(), agreement) == (RUN, SUITE)


@pytest.mark.parametrize("status", [Status.FAIL, Status.UNSUPPORTED, Status.PASS])
def test_an_oracle_mends_no_other_run(status: Status) -> None:
    run = replace(RUN, pass_exe=Verdict(status=status))
    assert apply_agreement(run, SUITE, Blobs(), AGREEMENT) == (run, SUITE)
