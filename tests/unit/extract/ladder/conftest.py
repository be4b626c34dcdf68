"""Flat and wide units of small projects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.ladder.climb import UnitLadder
from crawler.extract.ladder.flat_unit import FlatUnit, flatten_unit
from crawler.extract.ladder.parsed_flat_unit import ParsedFlatUnit, parse_flat_unit
from crawler.extract.passes.parse_pass import ParsePass, read_pass
from crawler.extract.unit.translation_unit import load_translation_unit
from crawler.model import Closure, CompileCommand, KernelFacts, UnitFacts


@dataclass(frozen=True)
class ParsedProject:
    """The unit `a.cu` of a project, parsed."""

    root: Path
    command: CompileCommand
    parse_pass: ParsePass
    facts: UnitFacts

    @property
    def kernels(self) -> dict[str, KernelFacts]:
        """Its kernels by their names."""
        return {kernel.name: kernel for kernel in self.facts.kernels}

    def flatten(self) -> FlatUnit:
        context = self.parse_pass.context
        flat_unit = flatten_unit(
            self.parse_pass.clang_unit, self.root, self.command, context
        )
        assert flat_unit is not None
        return flat_unit

    def parse(self) -> ParsedFlatUnit:
        parsed_unit = parse_flat_unit(self.flatten(), self.parse_pass.context, "c++17")
        assert parsed_unit is not None
        return parsed_unit

    def reduce_to(self, name: str) -> Closure:
        closure = self.parse().reduce_to(self.kernels[name])
        assert closure is not None
        return closure

    def climb_from(
        self, name: str, *fragments: str, is_trial_allowed: bool = True
    ) -> KernelFacts:
        """Return a kernel as the ladder leaves it, of whose closure only `fragments` are there."""
        kernel = self.kernels[name]
        assert kernel.closure is not None
        closure = replace(kernel.closure, fragments=fragments)
        ladder = UnitLadder(self.root, self.command, 60.0, lambda: is_trial_allowed)
        return ladder.climb(
            replace(kernel, closure=closure),
            self.parse_pass.clang_unit,
            self.parse_pass.context,
        )


ParseProject = Callable[..., ParsedProject]


@pytest.fixture(scope="module")
def parse_project(project: Callable[..., Any]) -> ParseProject:
    """Parse the unit `a.cu` of a project."""

    def parse(files: Mapping[str, str] | str, *flags: str) -> ParsedProject:
        if isinstance(files, str):
            files = {"a.cu": files}
        planted = project(files, *flags)
        (command,) = planted.commands
        unit = load_translation_unit(planted.root, command, SourceFiles(planted.root))
        return ParsedProject(
            root=planted.root,
            command=command,
            parse_pass=read_pass(unit.clang_unit, unit),
            facts=planted.facts()[0],
        )

    return parse


def join_text(closure: Closure) -> str:
    """Return all text of a closure."""
    return "\n".join(closure.fragments)
