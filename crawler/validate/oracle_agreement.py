"""Record in a run and its suite that an oracle speaks for the golden outputs."""

from __future__ import annotations

from dataclasses import replace

from crawler import codec
from crawler.model import Run, Status, Suite, Verdict
from crawler.validate.oracle_interface import OracleAgreement
from crawler.validate.values.blobs import Blobs


def apply_agreement(
    run: Run, suite: Suite, blobs: Blobs, agreement: OracleAgreement
) -> tuple[Run, Suite]:
    """Return a run that passes, and its suite, where `agreement` is conclusive.

    The new suite is put into `blobs`. A run that is not `consistent` stays as it is: an oracle
    cannot mend what the kernel itself has shown.
    """
    if not agreement.is_conclusive or run.pass_exe.status is not Status.CONSISTENT:
        return run, suite

    case_count = len(agreement.agreeing_cases)
    message = f"{agreement.implementation} gives the same in {case_count} cases"
    proven_suite = replace(suite, oracle=agreement.oracle)
    proven_run = replace(
        run,
        pass_exe=Verdict(status=Status.PASS, message=message),
        oracle=agreement.oracle,
        suite=blobs.put(codec.encode(proven_suite)),
    )

    return proven_run, proven_suite
