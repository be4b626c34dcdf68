"""Collect the facts of one translation unit: kernels with their closures, launches,
instantiations.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from clang.cindex import CursorKind

from crawler.cpp.source_text import SourceFiles, SourceText
from crawler.cpp.word_index import WordIndex
from crawler.errors import ParseFailed
from crawler.extract.clang import parse
from crawler.extract.clang.cursor_locations import CursorLocations
from crawler.extract.clang.declarations import Declaration, collect_declarations
from crawler.extract.clang.scoped_cursors import (
    collect_active_macros,
    collect_scoped_cursors,
)
from crawler.extract.closure.host_constructors import attach_host_constructors
from crawler.extract.closure.unit_context import UnitContext
from crawler.extract.launches.kernel_uses import (
    KernelUse,
    SourcePlace,
    UseHints,
    find_kernel_uses,
)
from crawler.extract.launches.launch_facts import (
    collect_launch_sightings,
    find_launch_of_use,
)
from crawler.extract.operators.bindings import find_bindings
from crawler.extract.syntax.host_device_guards import HostDeviceGuards
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.templates import uninstantiated_templates
from crawler.extract.templates.discarded_branch_arguments import (
    find_uninstantiated_sites,
)
from crawler.extract.templates.kernel_facts import (
    group_instantiations,
    make_kernel_sighting,
)
from crawler.extract.templates.uninstantiated_templates import UninstantiatedTemplates
from crawler.extract.unit.device_switches import enable_device_switches
from crawler.extract.unit.explicit_class_instantiations import instantiate_named_classes
from crawler.extract.unit.macro_variants import toggle_project_macros
from crawler.extract.unit.missing_includes import load_with_missing_includes
from crawler.extract.unit.string_kernels import find_string_kernels
from crawler.extract.unit.string_translation_unit import parse_string_kernels
from crawler.extract.unit.stub_declarations import (
    collect_error_messages,
    declare_stubs,
    drop_stub_arguments,
)
from crawler.extract.unit.syntax_fallback import (
    EXCLUDED_BY_CONDITION,
    extract_facts_from_syntax,
    find_kernels_missed_by_ast,
)
from crawler.extract.unit.translation_unit import (
    DEVICE_MACRO_PREFIXES,
    TranslationUnit,
    load_translation_unit,
)
from crawler.model import (
    CompileCommand,
    Dialect,
    KernelFacts,
    LaunchFacts,
    Layer,
    Span,
    UnitFacts,
)

_MOST_ROUNDS: Final = 2
_MOST_BEFORE_OTHERS: Final = 20.0
"""Seconds of the processor that a unit may have taken before its macros are chosen otherwise."""
_GLOBAL: Final = "__global__"
_PASTED: Final = frozenset(
    part for at in range(3, len(_GLOBAL) - 2) for part in (_GLOBAL[:at], _GLOBAL[at:])
)
"""What macros may paste together."""
_BEFORE: Final = 200
"""Characters in front of a declaration's range that may hold an attribute of it."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """One parse of a unit: as its host compiler sees it, or with the device's macros too."""

    unit: Any
    around: UnitContext
    kernels: tuple[Declaration, ...]
    uses: Collection[KernelUse]
    words: frozenset[str]
    """What may stand for a use of its kernels."""
    plain: frozenset[str]
    """Names of its kernels that are no templates."""


def extract_unit_facts(
    root: Path,
    command: CompileCommand,
    sources: SourceFiles | None = None,
    *,
    is_alternative: bool = False,
) -> UnitFacts:
    """Return the facts of one translation unit; what goes wrong in the parse is in them.

    Kernels that its command leaves out are looked for by other choices of the project's macros,
    unless it `is_alternative`.
    """
    sources, began = sources or SourceFiles(root), time.process_time()
    if command.dialect is None:
        return UnitFacts(
            command=command,
            kernels=_quoted(sources[command.file]),
            files=(command.file,),
        )
    try:
        seen = load_with_missing_includes(root, command, sources)
        first = _pass(seen.clang_unit, seen)
        if not first.words.isdisjoint(seen.elided_files.elided_words):
            seen = load_translation_unit(root, seen.command, sources, keep_bodies=True)
            first = _pass(seen.clang_unit, seen)
    except ParseFailed as error:
        return extract_facts_from_syntax(root, command, error.code)
    written, left_out = (
        seen.unit_text,
        parse.find_skipped_ranges(seen.clang_unit, root, command.directory),
    )
    passes = list(_passes(first, seen, left_out))
    passes += _completed(passes[-1], seen)
    kernels = _kernels(passes, command, written, began)
    switched = enable_device_switches(command, kernels, written)
    if switched != command:
        return replace(extract_unit_facts(root, switched, sources), command=command)
    unshown = find_kernels_missed_by_ast(kernels, written, left_out, command)
    launches = collect_launch_sightings(written, _all_uses(passes))
    read: tuple[str, ...] = ()
    if not is_alternative and time.process_time() - began < _MOST_BEFORE_OTHERS:
        unshown, more, read = _by_other_choices(
            root, command, sources, written, unshown
        )
        launches += more
    kernels += [*unshown, *_quoted(sources[command.file])]
    return UnitFacts(
        command=command,
        kernels=tuple(kernels),
        launches=tuple(launches),
        bindings=tuple(
            binding
            for path in written.files
            for binding in find_bindings(sources[path])
        ),
        diagnostics=min(
            (parse.collect_diagnostics(one.unit, root) for one in passes), key=len
        ),
        files=tuple(dict.fromkeys((command.file, *written.files, *read))),
    )


def _passes(
    first: _Pass, seen: TranslationUnit, left_out: Collection[tuple[str, int, int]]
) -> Iterator[_Pass]:
    """Yield what a compiler for the device sees of a unit, then what one for the host does, as
    far as either adds.

    The host's side is in both: that of the host adds something only where the device's leaves
    out uses of kernels.
    """
    unseen = _unseen(seen.unit_text, first)
    if seen.device_dialect is None and unseen:
        yield _pass(seen.reparse_for_device(), seen)
    yield first
    if seen.device_dialect is not None and (
        unseen or _leaves_out(first, seen, left_out)
    ):
        yield _pass(seen.reparse_for_host(), seen)


def _leaves_out(
    first: _Pass, seen: TranslationUnit, left_out: Collection[tuple[str, int, int]]
) -> bool:
    """Tell whether a kernel, or a function that uses one, is named in what a compiler for a
    device may leave out.
    """
    named = WordIndex(seen.unit_text.sources, {*first.words, *_users(first), "<<<"})
    naming = [place for place in left_out if named.has_word_in_range(*place)]
    if not naming or seen.device_dialect is None:
        return False
    guards = HostDeviceGuards(
        seen.unit_text.sources,
        seen.unit_text.files,
        DEVICE_MACRO_PREFIXES[seen.device_dialect],
    )
    return any(guards.is_guarded(*place) for place in naming)


def _users(one: _Pass) -> set[str]:
    """Return the names of the functions that use a kernel."""
    return {use.enclosing_function.rpartition("::")[2] for use in one.uses} - {""}


def _quoted(source: SourceText) -> tuple[KernelFacts, ...]:
    """Return the kernels in a file's strings, those of complete texts with their closures."""
    return find_string_kernels(
        source,
        lambda text, dialect: parse_string_kernels(text, dialect, extract_unit_facts),
    )


def _by_other_choices(
    root: Path,
    command: CompileCommand,
    sources: SourceFiles,
    written: UnitText,
    unshown: list[KernelFacts],
) -> tuple[list[KernelFacts], list[LaunchFacts], tuple[str, ...]]:
    """Return those that only the text shows as another choice of macros shows them, with their
    launches.

    Last come the files that were read for it: where one of them changes, so may what it shows.
    """
    places = [
        (one.span.path, one.span.offset)
        for one in unshown
        if one.reason == EXCLUDED_BY_CONDITION
    ]
    other = toggle_project_macros(command, written, places) if places else None
    if other is None or not uninstantiated_templates.is_trial_allowed():
        return unshown, [], ()
    facts = extract_unit_facts(root, other, sources, is_alternative=True)
    shown = [one for one in facts.kernels if one.found_by is Layer.AST]
    reason = f"seen with {' '.join(word for word in other.arguments if word not in command.arguments)}"
    better = [
        next(
            (
                replace(one, reason=reason)
                for one in shown
                if _is_same(one.span, left.span)
            ),
            left,
        )
        for left in unshown
    ]
    targets = {
        (one.span.path, one.span.offset) for one in better if one.found_by is Layer.AST
    }
    launches = [
        one for one in facts.launches if (one.target_path, one.target_offset) in targets
    ]
    return better, launches, facts.files


def _is_same(one: Span, other: Span) -> bool:
    return (
        one.path == other.path
        and one.offset < other.end_offset
        and other.offset < one.end_offset
    )


def _pass(unit: Any, seen: TranslationUnit) -> _Pass:
    root, command, written = seen.root, seen.command, seen.unit_text
    places, defines = CursorLocations(root, command.directory), _defines(command)
    listed = collect_scoped_cursors(unit, places, written.sources)
    found = collect_declarations(
        listed, written.sources, _marked(written, defines, places)
    )
    kernels = tuple(
        declaration for declaration in found if declaration.kind == "kernel"
    )
    words = written.find_use_words(name for kernel in kernels for name in kernel.names)
    using = WordIndex(written.sources, {*words, "<<<"})

    @cache
    def may_use(path: str | None, start: int, end: int, name: str) -> bool:
        return path is not None and using.has_word_in_range(
            path, start, end, excluded_word=name
        )

    def is_launched(path: str, offset: int, name: str) -> bool:
        return written.find_launch(path, offset, name) is not None

    around = UnitContext(
        sources=written.sources,
        declarations=found,
        files=tuple(written.files),
        defines=defines,
        dialect=command.dialect or Dialect.CUDA,
        active_macro_offsets=collect_active_macros(listed, places),
    )
    found_uses = find_kernel_uses(
        listed,
        kernels,
        root,
        command.directory,
        UseHints(written.launched_names, is_launched, may_use, written.launch_wrappers),
    )
    plain = (
        kernel.cursor
        for kernel in kernels
        if kernel.cursor.kind is not CursorKind.FUNCTION_TEMPLATE
    )
    return _Pass(
        unit,
        around,
        kernels,
        found_uses,
        words,
        frozenset(cursor.spelling for cursor in plain),
    )


def _marked(
    written: UnitText, defines: Collection[str], places: CursorLocations
) -> Callable[[Any], bool]:
    """Return what tells whether the text of a cursor, or what stands just before it, may head a
    kernel.
    """
    told = {define.partition("=")[0] for define in defines if _GLOBAL in define}
    marks = WordIndex(
        written.sources, written.expand_aliases({_GLOBAL, *_PASTED, *told})
    )

    def is_marked(cursor: Any) -> bool:
        path, start, end = places.extent(cursor)
        return path is not None and marks.has_word_in_range(
            path, max(0, start - _BEFORE), end
        )

    return is_marked


def _completed(host: _Pass, seen: TranslationUnit) -> Iterator[_Pass]:
    """Yield passes with what would give launches types: stand-ins for what missing headers
    declare, and uses of types.

    Only the uses that each shows are kept of it: a syntax tree may take some hundred megabytes.
    """
    told, text, last = collect_error_messages(host.unit), "", host
    for _ in range(_MOST_ROUNDS):
        before, text = (
            text,
            declare_stubs(told, host.around.declarations, seen.unit_text)
            if _is_untyped(last, seen)
            else "",
        )
        if text in ("", before):
            break
        more, found = _uses_with(text, seen)
        told += more
        last = replace(host, kernels=(), uses=found)
        yield last
    behind = _named(host, seen) if _is_untyped(last, seen) else ""
    if behind:
        yield replace(host, kernels=(), uses=_uses_with(text, seen, behind)[1])


def _named(host: _Pass, seen: TranslationUnit) -> str:
    """Return instantiations of the types that a unit names, where their members may launch."""
    places = CursorLocations(seen.root, seen.command.directory)
    using = WordIndex(seen.unit_text.sources, {*host.words, *_users(host), "<<<"})

    def may_launch(template: Any) -> bool:
        path, start, end = places.extent(template)
        return path is not None and using.has_word_in_range(path, start, end)

    return instantiate_named_classes(
        host.unit,
        seen.command.file,
        places,
        may_launch,
        has_errors=bool(collect_error_messages(host.unit)),
    )


def _uses_with(
    text: str, seen: TranslationUnit, behind: str = ""
) -> tuple[list[str], Collection[KernelUse]]:
    """Return the errors of a parse with declarations before it, and behind it, and the uses
    that it shows.
    """
    unit = seen.reparse_with_declarations(text, behind)
    return collect_error_messages(unit), _pass(unit, seen).uses


def _is_untyped(host: _Pass, seen: TranslationUnit) -> bool:
    """Tell whether there are launches of templates, or of what they are given, that the
    compiler made nothing of.
    """
    written = seen.unit_text
    known = {
        (use.path, text.start)
        for use in host.uses
        if use.template_arguments and (text := find_launch_of_use(use, written))
    }
    listed = (
        (path, text)
        for path, texts in written.launches.items()
        for text in texts
        if not text.is_in_macro
    )
    return any(
        text.name not in host.plain and (path, text.start) not in known
        for path, text in listed
    )


def _unseen(written: UnitText, host: _Pass) -> bool:
    return bool(
        written.find_missing_definitions(
            {(kernel.path, kernel.cursor.spelling) for kernel in host.kernels}
        )
    )


def _all_uses(passes: Collection[_Pass]) -> Collection[KernelUse]:
    """Return the uses that passes show; where two resolve a use to other overloads, that of the
    first one counts.
    """
    first = next(iter(passes))
    known: dict[tuple[str, tuple[str, ...]], set[SourcePlace]] = defaultdict(set)
    for use in first.uses:
        known[(use.kernel, use.template_arguments)].add(use.target)

    def holds(use: KernelUse) -> bool:
        targets = known.get((use.kernel, use.template_arguments))
        return targets is None or not use.template_arguments or use.target in targets

    every = (use for one in passes for use in one.uses if one is first or holds(use))
    return dict.fromkeys(drop_stub_arguments(use) for use in every)


def _kernels(
    passes: Collection[_Pass], command: CompileCommand, written: UnitText, began: float
) -> list[KernelFacts]:
    """Return each kernel once, from the first pass that defines it; `began` is when, by the
    processor's time.
    """
    found: dict[tuple[str, int, str], KernelFacts] = {}
    made: dict[tuple[str, int, str], tuple[Declaration, UnitContext]] = {}
    instantiations = group_instantiations(_all_uses(passes), written)
    for one in passes:
        for kernel in one.kernels:
            key = (
                kernel.path,
                kernel.cursor.extent.start.offset,
                kernel.cursor.spelling,
            )
            if kernel.is_definition and key not in found:
                found[key] = make_kernel_sighting(
                    kernel, one.around, command, instantiations.get(key, ())
                )
                made[key] = (kernel, one.around)
    unused = UninstantiatedTemplates(command, time.process_time() - began)
    sites = find_uninstantiated_sites(use for one in passes for use in one.uses)
    for key, (kernel, around) in made.items():
        found[key] = unused.supply_instantiations(
            found[key], kernel, around, list(found.values()), sites.get(key, ())
        )
    return [attach_host_constructors(one, *made[key]) for key, one in found.items()]


def _defines(command: CompileCommand) -> tuple[str, ...]:
    arguments = command.arguments
    joined = [
        argument[2:]
        for argument in arguments
        if argument.startswith("-D") and len(argument) > len("-D")
    ]
    apart = [value for word, value in pairwise(arguments) if word == "-D"]
    return tuple(joined + apart)
