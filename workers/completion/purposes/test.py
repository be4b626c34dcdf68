"""Purpose `test`: a case that tells what the cases of a kernel do not."""

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
from crawler.completion.repair_subject import name_language
from crawler.completion.weak_suite import WeakSuite, describe_case, find_weak_suites
from crawler.dataset.programs.harness_programs import ContentReader
from crawler.model import AttemptVerdict, KernelRecord
from workers.completion.written_case_check import WrittenCaseCheck


class Test:
    """Asks for the data of a case alone; what it computes is the kernel's own word."""

    name = "test"
    summary = "a case that tells what the others do not"
    order = 40
    nothing_found = (
        "nothing to test better: every kernel that matches has strong cases, or none"
    )
    needs_targets = False
    placeholders: Placeholders = MappingProxyType(
        {
            "test_system": frozenset(),
            "test": frozenset(
                ("kernel", "language", "source", "problem", "cases", "case")
            ),
            "reflect": FEEDBACK_PLACEHOLDERS,
            "test_retry": FEEDBACK_PLACEHOLDERS | {"reflection"},
        }
    )
    system_prompt = "test_system"
    reflect_prompt = "reflect"
    retry_prompt = "test_retry"
    verdict_words: Mapping[AttemptVerdict, str] = MappingProxyType(
        {
            AttemptVerdict.MALFORMED: "it is no case",
            AttemptVerdict.BROKEN: "nobody may call the kernel so",
            AttemptVerdict.WRONG: "it tells nothing that the other cases do not",
        }
    )

    def find_subjects(
        self,
        record: KernelRecord,
        targets: Collection[str],
        read_content: ContentReader,
    ) -> Iterator[WeakSuite]:
        """Yield the unit whose cases leave something untold."""
        return find_weak_suites(record, read_content)

    def open_question(self, subject: WeakSuite, prompts: Prompts) -> str:
        """Return the source with what the cases leave untold, and one of them."""
        return prompts.render(
            "test",
            kernel=subject.unit.kernel_name,
            language=name_language(subject.unit.dialect),
            source=_number_lines(subject.unit.source),
            problem=subject.problem,
            cases=str(subject.cases),
            case=describe_case(subject),
        )

    def list_conditions(self, subject: WeakSuite, tools: CheckTools) -> dict[str, Any]:
        """Return the cases that a new one is held beside."""
        return {"suite": subject.suite_digest}

    def make_checker(self, tools: CheckTools) -> Checker[WeakSuite]:
        """Return this machine's CPU."""
        return WrittenCaseCheck()


def _number_lines(source: str) -> str:
    lines = source.splitlines()
    return "\n".join(f"{number:4} {line}" for number, line in enumerate(lines, 1))


PLUGIN: Final[Purpose[WeakSuite]] = Test()
