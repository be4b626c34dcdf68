"""Climb the ladder of a kernel's unit: the first rung that compiles is taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from crawler.cpp import language_standard
from crawler.extract.clang.cursor import ClangUnit
from crawler.extract.closure.context.unit_context import UnitContext
from crawler.extract.closure.declarations.assumed_declarations import (
    assume_declarations,
)
from crawler.extract.closure.drawn_arguments import draw_arguments
from crawler.extract.closure.emit_unit import (
    render_explicit_instantiation,
    render_unit_source,
)
from crawler.extract.closure.macros.expanded_definition import expand_kernel_macro
from crawler.extract.ladder.flat_unit import flatten_unit
from crawler.extract.ladder.mending import mend_closure
from crawler.extract.ladder.parsed_flat_unit import ParsedFlatUnit, parse_flat_unit
from crawler.extract.ladder.shared_memory import leave_memory_uninitialised
from crawler.extract.ladder.shim_unit import use_shims
from crawler.extract.ladder.standard_includes import complete_includes
from crawler.extract.ladder.unit_check import (
    LENIENT_FLAGS,
    UnitError,
    find_unit_errors,
    parse_unit_text,
)
from crawler.extract.ladder.unused.parts import drop_unused_parts
from crawler.extract.unit.macro_choices.run_time_macros import assume_run_time_macros
from crawler.extract.unit.missing_headers.assumed_types import (
    MAX_TYPES,
    assume_type,
    find_missing_name,
    find_unknown_names,
)
from crawler.extract.unit.missing_headers.include_search import FILE_NOT_FOUND
from crawler.extract.unit.missing_headers.stub_declarations import (
    collect_error_messages,
)
from crawler.model import Closure, CompileCommand, KernelFacts

_MIN_SECONDS: Final = 8.0
_SHARE_OF_SPENT_SECONDS: Final = 1.0
"""CPU seconds of checks for each second that the unit took before them."""
_MAX_UNIT_SECONDS: Final = 60.0
"""CPU seconds of a unit behind which its checks get no more than the least."""


class UnitLadder:
    """The rungs of the kernels of one translation unit."""

    def __init__(
        self,
        root: Path,
        command: CompileCommand,
        spent_seconds: float,
        is_trial_allowed: Callable[[], bool],
    ) -> None:
        """`spent_seconds` are the CPU seconds that the unit took so far, which bound what checks
        may take. `is_trial_allowed` is asked before any text that is made up is parsed.
        """
        self._root = root
        self._command = command
        self._standard = language_standard.requested_standard(command.arguments)
        self._is_trial_allowed = is_trial_allowed
        wanted_seconds = min(
            spent_seconds * _SHARE_OF_SPENT_SECONDS, _MAX_UNIT_SECONDS - spent_seconds
        )
        self._seconds = max(_MIN_SECONDS, wanted_seconds)
        self._cpu_deadline = time.process_time() + self._seconds
        self._spare_seconds = self._seconds
        self._parsed_units: dict[int, ParsedFlatUnit | None] = {}

    def climb(
        self, kernel: KernelFacts, clang_unit: ClangUnit, context: UnitContext
    ) -> KernelFacts:
        """Return a kernel with the closure of the first rung that compiles.

        `clang_unit` is the parse that shows it, and `context` what that parse holds.

        Where none does, it keeps its own, which says what was tried.
        """
        minimal = kernel.closure
        if minimal is None or not minimal.complete or not self.may_try():
            return kernel
        if kernel.template_parameters and not kernel.instantiations:
            return kernel

        with_shims = use_shims(minimal, context)
        if with_shims is not None and not self.find_error(kernel, with_shims):
            return self._drop_unused(kernel, with_shims)

        minimal, errors = complete_includes(
            minimal, lambda closure: self._list_errors(kernel, closure), context
        )
        if not errors:
            return self._drop_unused(kernel, minimal)

        # where more is wrong than a function without a definition, that alone counts
        other_errors = [error for error in errors if not error.misses_definition]
        flags = LENIENT_FLAGS if other_errors else ()
        attempts = [f"{minimal.rung}: {errors[0].summary}"]
        text = self.render(kernel, minimal)
        minimal = leave_memory_uninitialised(minimal, text, errors) or minimal
        changed = (
            self._mend(kernel, minimal, flags)
            or self._expand(kernel, minimal, flags)
            or self._assume_names(kernel, minimal, clang_unit, context)
        )
        if changed is not None:
            return _take(kernel, changed, attempts)

        missing_name = find_missing_name(
            [error.message for error in other_errors],
            collect_error_messages(clang_unit),
            context.project_names,
        )
        if missing_name:
            attempts.append(
                f"wide: not tried, its translation unit lacks '{missing_name}', too"
            )
            return _take(kernel, minimal, attempts)

        for closure in self._iter_wider_closures(kernel, clang_unit, context):
            fitting: Closure | None = closure
            if message := self.find_error(kernel, closure, flags):
                fitting = self._mend(kernel, closure, flags)
                attempts.append(f"{closure.rung}: {message}")
            if fitting is not None:
                return _take(kernel, fitting, attempts)

        return _take(kernel, minimal, attempts)

    def _drop_unused(self, kernel: KernelFacts, closure: Closure) -> KernelFacts:
        """Return a kernel with a closure that compiles, without what it holds in vain."""
        if self._spare_seconds < 0:
            return replace(kernel, closure=closure)

        started = time.process_time()
        smaller = drop_unused_parts(self, kernel, closure)
        # what merely makes units smaller takes no time from those that do not compile yet
        spent = time.process_time() - started
        self._spare_seconds -= spent
        self._cpu_deadline += spent
        return smaller

    def _mend(
        self, kernel: KernelFacts, closure: Closure, flags: Sequence[str]
    ) -> Closure | None:
        """Return a closure without what does not compile in it; `None` where that does not do."""

        def parse_source(text: str, wants_definitions: bool) -> ClangUnit | None:
            own_flags = () if wants_definitions else flags
            return self.parse(kernel, closure, text, own_flags)

        return mend_closure(closure, self.render(kernel, closure), parse_source)

    def _expand(
        self, kernel: KernelFacts, closure: Closure, flags: Sequence[str]
    ) -> Closure | None:
        """Return a closure that compiles with the macro that makes its kernel written out."""
        expanded = expand_kernel_macro(closure)
        if expanded is None or not self.may_try():
            return None
        if self.find_error(kernel, expanded, flags):
            return self._mend(kernel, expanded, flags)

        return expanded

    def _assume_names(
        self,
        kernel: KernelFacts,
        closure: Closure,
        clang_unit: ClangUnit,
        context: UnitContext,
    ) -> Closure | None:
        """Return a closure that compiles with what a missing header, or a program, declares."""
        known_names = set(context.project_names)

        def list_messages(completed: Closure) -> list[str] | None:
            if not self.may_try():
                return None
            return [error.message for error in self._list_errors(kernel, completed)]

        def declare(messages: list[str]) -> list[str]:
            macros = assume_run_time_macros(messages, known_names, self._root)
            names = find_unknown_names(messages, known_names)
            known_names.update(names)
            if macros or not lacks_header or len(names) > MAX_TYPES:
                return macros

            types = [assume_type(name, "\n".join(closure.fragments)) for name in names]
            return types if all(types) else []

        file_messages = collect_error_messages(clang_unit)
        lacks_header = any(map(FILE_NOT_FOUND.search, file_messages))
        return assume_declarations(closure, list_messages, declare)

    def _iter_wider_closures(
        self, kernel: KernelFacts, clang_unit: ClangUnit, context: UnitContext
    ) -> Iterator[Closure]:
        parsed_unit = self._get_parsed_unit(clang_unit, context)
        if parsed_unit is None or not self.may_try():
            return

        reduced = parsed_unit.reduce_to(kernel)
        if reduced is not None:
            yield reduced
            if reduced.includes != parsed_unit.includes:
                yield replace(reduced, includes=parsed_unit.includes)

            # what macros paste of their arguments' words no search for words finds
            with_macros = parsed_unit.reduce_to(kernel, parsed_unit.macro_names)
            if with_macros is not None and "##" in parsed_unit.source.raw:
                yield replace(with_macros, includes=parsed_unit.includes)

            yield parsed_unit.keep_whole(kernel)

    def may_try(self) -> bool:
        """Tell whether a further text may be checked: it may crash, and takes time."""
        return self._is_trial_allowed() and time.process_time() < self._cpu_deadline

    def parse(
        self, kernel: KernelFacts, closure: Closure, text: str, flags: Sequence[str]
    ) -> ClangUnit | None:
        """Return libclang's view of a text in the place of the unit that a closure makes.

        `None` where it has none, or no further text may be checked.
        """
        if not self.may_try():
            return None
        return parse_unit_text(
            text, kernel.dialect, self._standard, closure.includes[0], flags
        )

    def _get_parsed_unit(
        self, clang_unit: ClangUnit, context: UnitContext
    ) -> ParsedFlatUnit | None:
        key = id(context)
        if key not in self._parsed_units:
            flat_unit = flatten_unit(clang_unit, self._root, self._command, context)
            parsed_unit = None
            if flat_unit is not None:
                parsed_unit = parse_flat_unit(flat_unit, context, self._standard)

            self._parsed_units[key] = parsed_unit

        return self._parsed_units[key]

    def find_error(
        self, kernel: KernelFacts, closure: Closure, flags: Sequence[str] = ()
    ) -> str:
        """Return the first error of a unit made of a closure; empty where it compiles."""
        errors = self._list_errors(kernel, closure, flags)
        return errors[0].summary if errors else ""

    def _list_errors(
        self, kernel: KernelFacts, closure: Closure, flags: Sequence[str] = ()
    ) -> list[UnitError]:
        errors = find_unit_errors(
            self.render(kernel, closure),
            kernel.dialect,
            self._standard,
            closure.includes[0],
            flags,
        )
        if errors is None:
            return [UnitError("libclang gives nothing for it", ())]

        return list(errors)

    def render(
        self, kernel: KernelFacts, closure: Closure, *, takes_all: bool = False
    ) -> str:
        """Return the text of the unit that a closure gives a kernel, with enough instantiations,
        or all of them.
        """
        arguments = draw_arguments(kernel.instantiations)
        if takes_all:
            every = kernel.instantiations
            arguments = [made.arguments for made in every if made.arguments]
        name, owners = kernel.qualified_name, closure.owner_parameters
        lines = [render_explicit_instantiation(name, own, owners) for own in arguments]
        return render_unit_source(closure, lines, self._standard)


def _take(
    kernel: KernelFacts, closure: Closure, attempts: Sequence[str]
) -> KernelFacts:
    """Return a kernel with a closure that says what was tried before."""
    return replace(kernel, closure=replace(closure, attempts=tuple(attempts)))
