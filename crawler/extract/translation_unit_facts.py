"""Collect the facts of one translation unit: kernels with their closures, launches, bindings."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from crawler.checkout.dependencies import select_dependencies
from crawler.cpp.files.source_text import SourceFiles
from crawler.errors import ParseFailed
from crawler.extract.clang import parse
from crawler.extract.clang.skipped_ranges import find_skipped_ranges
from crawler.extract.ladder.whole_text import render_whole_unit
from crawler.extract.operators.bindings import find_bindings
from crawler.extract.passes.collect_launches import collect_launches
from crawler.extract.passes.first_pass import read_first_pass
from crawler.extract.passes.merge_passes import collect_kernels, merge_uses
from crawler.extract.passes.parse_pass import ParsePass
from crawler.extract.passes.pass_sequence import list_passes
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.unit.defining_sources import (
    join_defining_sources,
    select_own_facts,
)
from crawler.extract.unit.macro_choices.device_switches import enable_device_switches
from crawler.extract.unit.macro_choices.error_directives import (
    answer_error_directives,
)
from crawler.extract.unit.macro_choices.host_constants import define_host_constants
from crawler.extract.unit.macro_choices.macro_variants import list_variant_commands
from crawler.extract.unit.macro_choices.variant_facts import (
    MacroVariant,
    explain_variant,
    select_variant_facts,
)
from crawler.extract.unit.missing_headers.include_search import add_include_paths
from crawler.extract.unit.string_kernels import find_string_kernels
from crawler.extract.unit.string_translation_unit import parse_string_kernels
from crawler.extract.unit.syntax_fallback import (
    EXCLUDED_BY_CONDITION,
    extract_facts_from_syntax,
    find_kernels_missed_by_ast,
)
from crawler.extract.unit.translation_unit import TranslationUnit
from crawler.extract.unit.undefined_names import list_undefined_names
from crawler.model import (
    CompileCommand,
    Dialect,
    KernelFacts,
    LaunchFacts,
    Span,
    UnitFacts,
)

_MAX_SECONDS_BEFORE_REREADING: Final = 20.0
"""CPU seconds that a unit may have taken before it is read once more with other macros."""


def allow_trials() -> bool:
    """Allow that instantiations which no source asks for are compiled."""
    return True


def extract_unit_facts(
    root: Path,
    command: CompileCommand,
    sources: SourceFiles | None = None,
    *,
    is_trial_allowed: Callable[[], bool] = allow_trials,
) -> UnitFacts:
    """Return the facts of one translation unit; what goes wrong in the parse is in them.

    `is_trial_allowed` is asked before anything made up is compiled, which may crash or take for
    ever though the unit itself does not.
    """
    if sources is None:
        sources = SourceFiles(root)

    extractor = _UnitExtractor(root, sources, is_trial_allowed)
    return extractor.extract(command, cpu_start=time.process_time())


def _may_read_again(cpu_start: float) -> bool:
    """Tell whether a file leaves time for another reading with other macros.

    A reading that runs out of its time costs all that the first one showed.
    """
    return time.process_time() - cpu_start < _MAX_SECONDS_BEFORE_REREADING


@dataclass(frozen=True, slots=True)
class _UnitExtractor:
    """Extracts the facts of translation units of one project."""

    root: Path
    sources: SourceFiles
    is_trial_allowed: Callable[[], bool]
    wanted_spans: Sequence[Span] | None = None
    """Where the kernels stand that are wanted of these readings; all, where it is `None`."""

    def extract(
        self,
        command: CompileCommand,
        *,
        cpu_start: float,
        is_variant: bool = False,
    ) -> UnitFacts:
        """Return the facts of the unit of a command.

        Kernels that the command leaves out are looked for by other choices of the project's
        macros, unless it `is_variant` already. `cpu_start` is the CPU time of the process when
        work on the file began: all its readings share what a file may take.
        """
        if command.dialect is None:
            return self._extract_strings(command)

        try:
            unit, first_pass = read_first_pass(self.root, command, self.sources)
        except ParseFailed as error:
            return extract_facts_from_syntax(self.root, command, error.code)

        command = add_include_paths(command, unit.command)
        skipped_ranges = find_skipped_ranges(
            unit.clang_unit, self.root, command.directory
        )
        passes = list_passes(first_pass, unit, skipped_ranges)
        uses = merge_uses(passes)
        kernels = collect_kernels(
            passes,
            uses,
            self.root,
            command,
            unit.unit_text,
            cpu_start,
            self.is_trial_allowed,
            self.wanted_spans,
        )

        # the whole unit is read again: a switch changes any declaration
        switched_command = self._add_macros(command, kernels, unit)
        if switched_command != command and _may_read_again(cpu_start):
            switched = self.extract(switched_command, cpu_start=cpu_start)
            return replace(switched, command=command)

        missed_kernels = find_kernels_missed_by_ast(
            kernels, unit.unit_text, skipped_ranges, command
        )
        launches = collect_launches(passes, uses, unit.unit_text, skipped_ranges)
        variant = MacroVariant(missed_kernels)
        if not is_variant and _may_read_again(cpu_start):
            variant = self._extract_variant(
                command, unit.unit_text, missed_kernels, cpu_start
            )

        facts = self._combine(
            command, unit.unit_text, passes, kernels, launches, variant, cpu_start
        )
        return self._add_definitions(facts, passes, unit.unit_text, cpu_start)

    def _add_macros(
        self,
        command: CompileCommand,
        kernels: Sequence[KernelFacts],
        unit: TranslationUnit,
    ) -> CompileCommand:
        """Return a command with the macros that its unit, and kernels of it, want and it does not
        give.
        """
        unit_text = unit.unit_text
        diagnostics = parse.collect_diagnostics(unit.clang_unit, self.root)
        answered = answer_error_directives(command, diagnostics, unit_text)
        switched = enable_device_switches(answered, kernels, unit_text)
        return define_host_constants(switched, kernels, unit_text, self.root)

    def _extract_strings(self, command: CompileCommand) -> UnitFacts:
        """Return the facts of a file that no compiler reads: kernels in its string literals."""
        return UnitFacts(
            command=command,
            kernels=self._find_string_kernels(command.file),
            files=(command.file,),
        )

    def _combine(
        self,
        command: CompileCommand,
        unit_text: UnitText,
        passes: Sequence[ParsePass],
        kernels: Sequence[KernelFacts],
        launches: Sequence[LaunchFacts],
        variant: MacroVariant,
        cpu_start: float,
    ) -> UnitFacts:
        """Return what the passes, the variant and the strings of a unit show together."""
        string_kernels = self._find_string_kernels(command.file)
        bindings = [
            binding
            for path in unit_text.files
            for binding in find_bindings(self.sources[path])
        ]
        diagnostics = [
            parse.collect_diagnostics(parse_pass.clang_unit, self.root)
            for parse_pass in passes
        ]
        files = dict.fromkeys((command.file, *unit_text.files, *variant.files))
        dependencies = select_dependencies(self.root, files)
        # nobody reads the whole of a reading for some kernels
        whole_text = ""
        if kernels and self.wanted_spans is None:
            first_pass = passes[0]
            whole_text = render_whole_unit(
                first_pass.clang_unit,
                self.root,
                command,
                first_pass.context,
                spent_seconds=time.process_time() - cpu_start,
            )

        return UnitFacts(
            command=command,
            whole_text=whole_text,
            kernels=(*kernels, *variant.kernels, *string_kernels),
            launches=(*launches, *variant.launches),
            bindings=tuple(bindings),
            # the pass with the fewest errors is nearest to the project's own build
            diagnostics=min(diagnostics, key=len),
            files=tuple(files),
            dependencies=dependencies,
        )

    def _add_definitions(
        self,
        facts: UnitFacts,
        passes: Sequence[ParsePass],
        unit_text: UnitText,
        cpu_start: float,
    ) -> UnitFacts:
        """Return facts of a unit with what other sources define of its device code."""
        declarations = [
            declaration for item in passes for declaration in item.context.declarations
        ]
        names = list_undefined_names(declarations, facts.kernels)
        if not names or not _may_read_again(cpu_start):
            return facts

        joined_command = join_defining_sources(
            facts.command, names, unit_text.files, self.sources, self.root
        )
        # together they may crash the parser though the unit does not
        if joined_command == facts.command or not self.is_trial_allowed():
            return facts

        joined = self.extract(joined_command, cpu_start=cpu_start)
        return select_own_facts(joined, facts, unit_text.files)

    def _find_string_kernels(self, path: str) -> tuple[KernelFacts, ...]:
        """Return the kernels in a file's strings, those of complete texts with their closures."""
        return find_string_kernels(self.sources[path], self._parse_string)

    def _parse_string(self, text: str, dialect: Dialect) -> tuple[KernelFacts, ...]:
        return parse_string_kernels(text, dialect, self._extract_elsewhere)

    def _extract_elsewhere(self, root: Path, command: CompileCommand) -> UnitFacts:
        return extract_unit_facts(root, command, is_trial_allowed=self.is_trial_allowed)

    def _extract_variant(
        self,
        command: CompileCommand,
        unit_text: UnitText,
        missed_kernels: list[KernelFacts],
        cpu_start: float,
    ) -> MacroVariant:
        """Return those that only the text shows as other choices of macros show them."""
        excluded_places = [
            (kernel.span.path, kernel.span.offset)
            for kernel in missed_kernels
            if kernel.reason == EXCLUDED_BY_CONDITION
        ]

        variant = MacroVariant(missed_kernels)
        for variant_command in list_variant_commands(
            command, unit_text, excluded_places
        ):
            # a variant may crash the parser though the unit does not
            if not self.is_trial_allowed() or not _may_read_again(cpu_start):
                break

            wanted_spans = [kernel.span for kernel in variant.kernels]
            reader = replace(self, wanted_spans=wanted_spans)
            variant_facts = select_variant_facts(
                variant.kernels,
                reader.extract(variant_command, cpu_start=cpu_start, is_variant=True),
                explain_variant(command, variant_command),
            )
            variant = variant.extend(variant_facts)

        return variant
