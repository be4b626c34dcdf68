"""Purpose `repair`: ports that do not compile, are wrong or slow, and units that do not compile."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from crawler.completion.prompt_files import (
    FEEDBACK_PLACEHOLDERS,
    Placeholders,
    Prompts,
)
from crawler.completion.purpose import Checker, CheckTools, Purpose
from crawler.completion.repair_subject import (
    RepairSubject,
    find_repairs,
    name_language,
)
from crawler.dataset.programs.harness_programs import ContentReader
from crawler.model import AttemptVerdict, KernelRecord
from workers.completion.repair_check import RepairCheck


class Repair:
    """Asks for the whole source again, and has the judge run it."""

    name = "repair"
    summary = "a repair of a port or a unit that fails"
    order = 10
    nothing_found = (
        "nothing to repair: every port that matches compiles, agrees and is not slow, or was "
        "never tried"
    )
    needs_targets = True
    placeholders: Placeholders = MappingProxyType(
        {
            "system": frozenset(),
            "repair": frozenset(
                ("kernel", "language", "targets", "source", "problem", "original")
            ),
            "original": frozenset(("original_language", "original_source")),
            "reflect": FEEDBACK_PLACEHOLDERS,
            "retry": FEEDBACK_PLACEHOLDERS | {"reflection"},
        }
    )
    system_prompt = "system"
    reflect_prompt = "reflect"
    retry_prompt = "retry"
    verdict_words: Mapping[AttemptVerdict, str] = MappingProxyType(
        {
            AttemptVerdict.BROKEN: "it does not compile",
            AttemptVerdict.WRONG: "what it writes is wrong",
            AttemptVerdict.SLOW: "it is right, and takes too many steps",
            AttemptVerdict.REFUSED: "it is right for inputs that it could know alone, "
            "or writes outside its buffers",
        }
    )

    def find_subjects(
        self,
        record: KernelRecord,
        targets: Collection[str],
        read_content: ContentReader,
    ) -> Iterator[RepairSubject]:
        """Yield what of a kernel fails."""
        return find_repairs(record, targets, read_content)

    def open_question(self, subject: RepairSubject, prompts: Prompts) -> str:
        """Return the source that fails, with the messages and what it was ported from."""
        original = ""
        if subject.original is not None:
            original = prompts.render(
                "original",
                original_language=name_language(subject.original.dialect),
                original_source=subject.original.source,
            )
        return prompts.render(
            "repair",
            kernel=subject.unit.kernel_name,
            language=name_language(subject.unit.dialect),
            targets=", ".join(subject.targets),
            source=subject.unit.source,
            problem=subject.problem,
            original=original,
        )

    def list_conditions(
        self, subject: RepairSubject, tools: CheckTools
    ) -> dict[str, Any]:
        """Return what it is compiled for and run on."""
        return {
            "targets": subject.targets,
            "device": tools.judge.device if subject.has_cases else "",
        }

    def make_checker(self, tools: CheckTools) -> Checker[RepairSubject]:
        """Return this machine's judge."""
        return RepairCheck(tools.judge)


PLUGIN: Final[Purpose[RepairSubject]] = Repair()
