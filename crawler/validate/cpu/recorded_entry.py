"""One instantiation of a kernel, held on launches that its project's own code made."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Behaviour, CaseOrigin, Extents, Kernel, KernelUnit
from crawler.validate.behaviour.verdict_messages import explain_code
from crawler.validate.cpu.cases.case_runs import run_cases
from crawler.validate.cpu.launcher_checks.kept_orders import Order, list_kept_orders
from crawler.validate.cpu.result import CpuValidation, build_failed_validation
from crawler.validate.cpu.suite import conclude_validation
from crawler.validate.emulator.cpu_budget import CpuBudgetExceeded, limit_endless_runs
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.inputs.cases.case_drafts import CaseDraft
from crawler.validate.inputs.ordinary.launch_site_ranking import rank_launch_sites
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject, build_subject
from crawler.validate.recordings.recorded_cases import draft_recorded_cases
from crawler.validate.recordings.recorded_launch import RecordedLaunch
from crawler.validate.values.blobs import Blobs

UNIT_DIFFERS: Final = "unit-differs"
"""Code of a unit that leaves memory otherwise than its kernel did in its own project."""
_MAX_ENDLESS_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEntry:
    """The cases that recorded launches make of one instantiation."""

    unit: KernelUnit
    entry: int
    subject: TrialSubject | None = None
    """`None` where nothing was recorded."""
    drafts: tuple[CaseDraft, ...] = ()
    orders: frozenset[Order] = frozenset()
    """Of its numbers, in all recorded launches."""
    difference: str = ""
    """Where its unit left memory otherwise than a recorded launch; empty where it did not."""

    @classmethod
    def replay(
        cls,
        kernel: Kernel,
        unit: KernelUnit,
        entry: int,
        traced_program: Program,
        recordings: Sequence[RecordedLaunch],
    ) -> RecordedEntry:
        """Return what comes of running recorded launches again."""
        if not recordings:
            return cls(unit=unit, entry=entry)

        arguments = unit.instantiations[entry].arguments if unit.instantiations else ()
        site = rank_launch_sites(kernel, arguments)[0]
        subject = build_subject(kernel, unit, entry, traced_program, site)
        recorded = draft_recorded_cases(subject, recordings)
        return cls(
            unit=unit,
            entry=entry,
            subject=subject,
            drafts=recorded.drafts,
            orders=list_kept_orders(kernel, recordings),
            difference=recorded.difference,
        )

    def build_difference(self) -> CpuValidation:
        """Return the validation of a unit that is not its kernel: nothing can be said of that."""
        message = f"{explain_code(UNIT_DIFFERS)}: {self.difference}"
        return build_failed_validation(
            self.unit, Behaviour.UNSUPPORTED, UNIT_DIFFERS, message
        )

    def validate_alone(self, seed: int) -> CpuValidation | None:
        """Return the validation whose only cases are recorded ones; `None` where these tell
        nothing.
        """
        if self.subject is None or not self.drafts:
            return None

        program = build_cpu_program(
            self.unit, BuildOptions(fast_build=True), entry=self.entry, describe=False
        )
        if not program.executable:
            return None

        blobs = Blobs()
        # the search for inputs may have used up what it had
        with (
            suppress(CpuBudgetExceeded),
            limit_endless_runs(_MAX_ENDLESS_SECONDS),
        ):
            golden_cases = run_cases(self.subject, program, self.drafts, blobs)
            validation = conclude_validation(self.unit, seed, golden_cases, blobs)
            if validation.suite is not None:
                return note_recorded_cases(validation)

        return None


def note_recorded_cases(validation: CpuValidation) -> CpuValidation:
    """Return a validation that says how many of its cases are launches of its project, and that
    their memory has the sizes that the project gave it.
    """
    cases = validation.suite.cases if validation.suite else ()
    sources = [case.source for case in cases if case.origin is not CaseOrigin.SEARCH]
    if not sources:
        return validation

    verdict = validation.run.pass_exe
    note = f"{len(sources)} of its cases are launches of its own project: {sources[0]}"
    message = "; ".join(filter(None, [verdict.message, note]))
    run = replace(
        validation.run,
        pass_exe=replace(verdict, message=message),
        extents=Extents.LAUNCHER,
    )
    return replace(validation, run=run)
