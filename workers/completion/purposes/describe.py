"""Purpose `describe`: a kernel in words, as a short instruction and in full."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from crawler.completion.description_subject import (
    DescriptionSubject,
    find_descriptions,
    find_fault,
)
from crawler.completion.prompt_files import (
    FEEDBACK_PLACEHOLDERS,
    Placeholders,
    Prompts,
)
from crawler.completion.purpose import Check, Checker, CheckTools, Purpose
from crawler.completion.repair_subject import name_language
from crawler.completion.turns import make_turn
from crawler.completion.vetting import vet
from crawler.dataset.programs.harness_programs import ContentReader
from crawler.dataset.prompts.model_description import DESCRIBE
from crawler.model import AttemptVerdict, KernelRecord

_KERNEL_PLACEHOLDERS: Final = frozenset(("kernel", "language", "source", "facts"))


class Describe:
    """Asks for two texts, and a second model, where one is set, whether they are true."""

    name = DESCRIBE
    summary = "a description in words, short and in full"
    order = 20
    nothing_found = "nothing to describe: no kernel that matches has a prompt"
    needs_targets = False
    placeholders: Placeholders = MappingProxyType(
        {
            "describe_system": frozenset(),
            "describe": _KERNEL_PLACEHOLDERS,
            "describe_reflect": FEEDBACK_PLACEHOLDERS,
            "describe_retry": FEEDBACK_PLACEHOLDERS | {"reflection"},
            "vet_system": frozenset(),
            "vet": _KERNEL_PLACEHOLDERS | {"answer"},
        }
    )
    system_prompt = "describe_system"
    reflect_prompt = "describe_reflect"
    retry_prompt = "describe_retry"
    verdict_words: Mapping[AttemptVerdict, str] = MappingProxyType(
        {
            AttemptVerdict.MALFORMED: "it is not what was asked for",
            AttemptVerdict.OBJECTED: "a reader objects",
        }
    )

    def find_subjects(
        self,
        record: KernelRecord,
        targets: Collection[str],
        read_content: ContentReader,
    ) -> Iterator[DescriptionSubject]:
        """Yield what the views of prompts ask for."""
        return find_descriptions(record)

    def open_question(self, subject: DescriptionSubject, prompts: Prompts) -> str:
        """Return the source, with what rules know of it."""
        return prompts.render("describe", **_name_values(subject))

    def list_conditions(
        self, subject: DescriptionSubject, tools: CheckTools
    ) -> dict[str, Any]:
        """Return who is asked a second time."""
        return {"vetted_by": tools.vetting_model}

    def make_checker(self, tools: CheckTools) -> Checker[DescriptionSubject]:
        """Return what looks at the form, then has the second model look at the rest."""

        def check(subject: DescriptionSubject, answer: str) -> Check:
            return _check(subject, answer, tools)

        return check


def _check(subject: DescriptionSubject, answer: str, tools: CheckTools) -> Check:
    fault = find_fault(answer, subject)
    if fault:
        return Check(verdict=AttemptVerdict.MALFORMED, source="", messages=fault)
    if not tools.vetting_model:
        return Check(verdict=AttemptVerdict.WRITTEN, source="")

    question = tools.prompts.render("vet", **_name_values(subject), answer=answer)
    turns = (
        make_turn("system", tools.prompts.render("vet_system")),
        make_turn("user", question),
    )
    vetting = vet(tools, turns, subject.unit.digest)
    return Check(
        verdict=AttemptVerdict.VETTED
        if vetting.is_accepted
        else AttemptVerdict.OBJECTED,
        source="",
        messages=vetting.reason,
        tokens_in=vetting.kept_answer.answer.tokens_in,
        tokens_out=vetting.kept_answer.answer.tokens_out,
        cost=vetting.kept_answer.cost,
    )


def _name_values(subject: DescriptionSubject) -> dict[str, str]:
    return {
        "kernel": subject.unit.kernel_name,
        "language": name_language(subject.unit.dialect),
        "source": subject.unit.source,
        "facts": subject.facts,
    }


PLUGIN: Final[Purpose[DescriptionSubject]] = Describe()
