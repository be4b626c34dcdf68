"""Find units that fail for want of a declaration, and give them one that a model offers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from crawler.completion.purpose import Subject
from crawler.completion.repair_subject import describe_failures, list_failed_builds
from crawler.cpp.brackets import depth_changes
from crawler.cpp.masked.masked_source import MaskedSource
from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.judging.candidate_unit import make_candidate_unit
from crawler.model import Build, KernelRecord, KernelUnit
from crawler.validate.build import target_dialect
from crawler.validate.harness.prelude_text import split_prelude
from crawler.validate.toolchains.compile_verdicts import UNKNOWN_NAME_PATTERN

_MISSING_HEADER: Final = "missing-header"
_COMPILE_ERROR: Final = "compile-error"
_MAX_CHARACTERS: Final = 16_000
# masked code of what a model wrote: what would make it more than a declaration
_NO_DECLARATION: Final = re.compile(
    r"(?P<directive>#|%:|\?\?=)|\b(?P<word>__global__|global|asm|__asm__|__asm)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclarationSubject(Subject):
    """A unit in which a name means nothing."""

    missing_headers: tuple[str, ...]
    """What its project includes and does not have."""


def find_missing_declarations(
    record: KernelRecord, targets: Collection[str]
) -> Iterator[DeclarationSubject]:
    """Yield the project's own unit of a kernel where all that fails is for want of a name."""
    unit = record.kernel.unit
    if unit is None:
        return

    own_targets = tuple(
        sorted(target for target in targets if target_dialect(target) is unit.dialect)
    )
    builds = list_failed_builds(record, unit, own_targets)
    if not builds or not all(map(_lacks_declaration, builds)):
        return

    yield DeclarationSubject(
        kernel=make_task_id(record),
        unit=unit,
        targets=own_targets,
        problem=describe_failures(builds),
        missing_headers=unit.missing_headers,
    )


def find_fault(declarations: str, unit: KernelUnit) -> str:
    """Return why a text is not declarations alone, for the model to read; empty where it is.

    It must leave the unit behind it as it is: no macro, no open comment or bracket.
    """
    if len(declarations) > _MAX_CHARACTERS:
        return f"it is longer than {_MAX_CHARACTERS} characters"

    code = MaskedSource(declarations).code
    if not code.strip():
        return "there is no declaration in it"

    bad = _NO_DECLARATION.search(code)
    if bad and bad["directive"]:
        return "it has a directive: write declarations alone, without `#`"
    if bad:
        return f"it has `{bad['word']}`: write declarations alone, and no kernel"

    _, body = split_prelude(unit.source)
    both = MaskedSource(f"{declarations}\n{body}").code
    is_closed = both.endswith(MaskedSource(body).code) and _is_balanced(code)
    if not is_closed or code.rstrip()[-1] not in ";}":
        return "it is not closed: end each declaration, bracket, comment and text"
    return ""


def add_declarations(unit: KernelUnit, declarations: str) -> KernelUnit:
    """Return the unit with declarations in front of all that is the project's."""
    header, body = split_prelude(unit.source)
    prelude = f"#include <{header}>\n" if header else ""
    source = f"{prelude}{declarations}\n{body}"
    return make_candidate_unit(unit, source)


def _lacks_declaration(build: Build) -> bool:
    verdict = build.pass_call
    if verdict.code == _MISSING_HEADER:
        return True
    is_unknown = UNKNOWN_NAME_PATTERN.search(verdict.message) is not None
    return verdict.code == _COMPILE_ERROR and is_unknown


def _is_balanced(code: str) -> bool:
    depth = 0
    changes = depth_changes()
    for letter in code:
        depth += changes.get(letter, 0)
        if depth < 0:
            return False
    return depth == 0
