"""Purpose `types`: declarations that a unit lacks, as of a header that its project lacks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from crawler.completion.missing_declarations import (
    DeclarationSubject,
    add_declarations,
    find_fault,
    find_missing_declarations,
)
from crawler.completion.prompt_files import (
    FEEDBACK_PLACEHOLDERS,
    Placeholders,
    Prompts,
)
from crawler.completion.purpose import Check, Checker, CheckTools, Purpose
from crawler.completion.repair_subject import describe_failures, name_language
from crawler.dataset.programs.harness_programs import ContentReader
from crawler.judging.completion_source import find_longest_block
from crawler.model import AttemptVerdict, KernelRecord, Status
from crawler.validate.build import build_unit


class Types:
    """Asks for declarations alone; the unit behind them stays as the project wrote it."""

    name = "types"
    summary = "declarations that a unit lacks"
    order = 30
    nothing_found = (
        "nothing to declare: no unit that matches fails for want of a declaration"
    )
    needs_targets = True
    placeholders: Placeholders = MappingProxyType(
        {
            "types_system": frozenset(),
            "types": frozenset(
                ("kernel", "language", "targets", "source", "problem", "headers")
            ),
            "reflect": FEEDBACK_PLACEHOLDERS,
            "types_retry": FEEDBACK_PLACEHOLDERS | {"reflection"},
        }
    )
    system_prompt = "types_system"
    reflect_prompt = "reflect"
    retry_prompt = "types_retry"
    verdict_words: Mapping[AttemptVerdict, str] = MappingProxyType(
        {
            AttemptVerdict.BROKEN: "the source does not compile with it",
            AttemptVerdict.MALFORMED: "it is not declarations alone",
        }
    )

    def find_subjects(
        self,
        record: KernelRecord,
        targets: Collection[str],
        read_content: ContentReader,
    ) -> Iterator[DeclarationSubject]:
        """Yield the unit that fails for want of a name."""
        return find_missing_declarations(record, targets)

    def open_question(self, subject: DeclarationSubject, prompts: Prompts) -> str:
        """Return the source with the messages, and the headers that are missing."""
        return prompts.render(
            "types",
            kernel=subject.unit.kernel_name,
            language=name_language(subject.unit.dialect),
            targets=", ".join(subject.targets),
            source=subject.unit.source,
            problem=subject.problem,
            headers=", ".join(subject.missing_headers) or "none",
        )

    def list_conditions(
        self, subject: DeclarationSubject, tools: CheckTools
    ) -> dict[str, Any]:
        """Return what the unit is compiled for."""
        return {"targets": subject.targets}

    def make_checker(self, tools: CheckTools) -> Checker[DeclarationSubject]:
        """Return this machine's compilers."""
        return _check


def _check(subject: DeclarationSubject, answer: str) -> Check:
    declarations = find_longest_block(answer).strip() + "\n"
    fault = find_fault(declarations, subject.unit)
    if fault:
        return Check(verdict=AttemptVerdict.MALFORMED, source="", messages=fault)

    unit = add_declarations(subject.unit, declarations)
    builds = [build_unit(unit, target).build for target in subject.targets]
    is_built = all(build.pass_call.status is Status.PASS for build in builds)
    return Check(
        verdict=AttemptVerdict.COMPILES if is_built else AttemptVerdict.BROKEN,
        source=declarations,
        messages=describe_failures(builds),
        pass_call={build.target: build.pass_call.status.value for build in builds},
    )


PLUGIN: Final[Purpose[DeclarationSubject]] = Types()
