"""What one translation unit shows: its kernels with their closures, its launches, what it instantiates."""

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

from crawler.errors import ParseFailed
from crawler.extract import parse, unused
from crawler.extract.bindings import bindings
from crawler.extract.branched import open_sites
from crawler.extract.declarations import Declaration, active_macros, declarations, standing
from crawler.extract.guards import Guards
from crawler.extract.lacking import translated
from crawler.extract.launches import launch_of, launch_sightings
from crawler.extract.making import with_making
from crawler.extract.named_types import instantiated
from crawler.extract.occurrences import Occurrences
from crawler.extract.places import Places
from crawler.extract.quoted import quoted
from crawler.extract.sightings import instantiated_with, sighting
from crawler.extract.source import Sources, SourceText
from crawler.extract.surroundings import Surroundings
from crawler.extract.switches import switched_on
from crawler.extract.text_alone import LEFT_OUT, syntax_alone, unshown_in
from crawler.extract.toggles import toggled
from crawler.extract.translation import DEVICE_WORDS, Translation, translation
from crawler.extract.unknown import errors, speakable, stand_ins
from crawler.extract.unused import Unused
from crawler.extract.uses import Place, Text, Use, uses
from crawler.extract.virtual import compiled
from crawler.extract.written import Written
from crawler.model import CompileCommand, Dialect, KernelSighting, LaunchSighting, Layer, Span, UnitFacts

_MOST_ROUNDS: Final = 2
_MOST_BEFORE_OTHERS: Final = 20.0
"""Seconds of the processor that a unit may have taken before its macros are chosen otherwise."""
_GLOBAL: Final = "__global__"
_PASTED: Final = frozenset(part for at in range(3, len(_GLOBAL) - 2) for part in (_GLOBAL[:at], _GLOBAL[at:]))
"""What macros may paste together."""
_BEFORE: Final = 200
"""Characters in front of a declaration's range that may hold an attribute of it."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """One parse of a unit: as its host compiler sees it, or with the device's macros too."""

    unit: Any
    around: Surroundings
    kernels: tuple[Declaration, ...]
    uses: Collection[Use]
    words: frozenset[str]
    """What may stand for a use of its kernels."""
    plain: frozenset[str]
    """Names of its kernels that are no templates."""


def observe(
    root: Path, command: CompileCommand, sources: Sources | None = None, *, is_other: bool = False
) -> UnitFacts:
    """Return the facts of one translation unit; what goes wrong in the parse is in them.

    Kernels that its command leaves out are looked for by other choices of the project's macros, unless it `is_other`.
    """
    sources, began = sources or Sources(root), time.process_time()
    if command.dialect is None:
        return UnitFacts(command=command, kernels=_quoted(sources[command.file]), files=(command.file,))
    try:
        seen = translated(root, command, sources)
        first = _pass(seen.unit, seen)
        if not first.words.isdisjoint(seen.hollow.words):
            seen = translation(root, seen.command, sources, entire=True)
            first = _pass(seen.unit, seen)
    except ParseFailed as error:
        return syntax_alone(root, command, error.code)
    written, left_out = seen.written, parse.skipped(seen.unit, root, command.directory)
    passes = list(_passes(first, seen, left_out))
    passes += _completed(passes[-1], seen)
    kernels = _kernels(passes, command, written, began)
    switched = switched_on(command, kernels, written)
    if switched != command:
        return replace(observe(root, switched, sources), command=command)
    unshown = unshown_in(kernels, written, left_out, command)
    launches = launch_sightings(written, _all_uses(passes))
    read: tuple[str, ...] = ()
    if not is_other and time.process_time() - began < _MOST_BEFORE_OTHERS:
        unshown, more, read = _by_other_choices(root, command, sources, written, unshown)
        launches += more
    kernels += [*unshown, *_quoted(sources[command.file])]
    return UnitFacts(
        command=command,
        kernels=tuple(kernels),
        launches=tuple(launches),
        bindings=tuple(binding for path in written.files for binding in bindings(sources[path])),
        diagnostics=min((parse.diagnostics(one.unit, root) for one in passes), key=len),
        files=tuple(dict.fromkeys((command.file, *written.files, *read))),
    )


def _passes(first: _Pass, seen: Translation, left_out: Collection[tuple[str, int, int]]) -> Iterator[_Pass]:
    """Yield what a compiler for the device sees of a unit, then what one for the host does, as far as either adds.

    The host's side is in both: that of the host adds something only where the device's leaves out uses of kernels.
    """
    unseen = _unseen(seen.written, first)
    if seen.device is None and unseen:
        yield _pass(seen.on_device(), seen)
    yield first
    if seen.device is not None and (unseen or _leaves_out(first, seen, left_out)):
        yield _pass(seen.on_host(), seen)


def _leaves_out(first: _Pass, seen: Translation, left_out: Collection[tuple[str, int, int]]) -> bool:
    """Tell whether a kernel, or a function that uses one, is named in what a compiler for a device may leave out."""
    named = Occurrences(seen.written.sources, {*first.words, *_users(first), "<<<"})
    naming = [place for place in left_out if named.within(*place)]
    if not naming or seen.device is None:
        return False
    guards = Guards(seen.written.sources, seen.written.files, DEVICE_WORDS[seen.device])
    return any(guards.around(*place) for place in naming)


def _users(one: _Pass) -> set[str]:
    """Return the names of the functions that use a kernel."""
    return {use.enclosing.rpartition("::")[2] for use in one.uses} - {""}


def _quoted(source: SourceText) -> tuple[KernelSighting, ...]:
    """Return the kernels in a file's strings, those of complete texts with their closures."""
    return quoted(source, lambda text, dialect: compiled(text, dialect, observe))


def _by_other_choices(
    root: Path, command: CompileCommand, sources: Sources, written: Written, unshown: list[KernelSighting]
) -> tuple[list[KernelSighting], list[LaunchSighting], tuple[str, ...]]:
    """Return those that only the text shows as another choice of macros shows them, with their launches.

    Last come the files that were read for it: where one of them changes, so may what it shows.
    """
    places = [(one.span.path, one.span.offset) for one in unshown if one.reason == LEFT_OUT]
    other = toggled(command, written, places) if places else None
    if other is None or not unused.may_try():
        return unshown, [], ()
    facts = observe(root, other, sources, is_other=True)
    shown = [one for one in facts.kernels if one.found_by is Layer.AST]
    reason = f"seen with {' '.join(word for word in other.arguments if word not in command.arguments)}"
    better = [
        next((replace(one, reason=reason) for one in shown if _is_same(one.span, left.span)), left) for left in unshown
    ]
    targets = {(one.span.path, one.span.offset) for one in better if one.found_by is Layer.AST}
    launches = [one for one in facts.launches if (one.target_path, one.target_offset) in targets]
    return better, launches, facts.files


def _is_same(one: Span, other: Span) -> bool:
    return one.path == other.path and one.offset < other.end_offset and other.offset < one.end_offset


def _pass(unit: Any, seen: Translation) -> _Pass:
    root, command, written = seen.root, seen.command, seen.written
    places, defines = Places(root, command.directory), _defines(command)
    listed = standing(unit, places, written.sources)
    found = declarations(listed, written.sources, _marked(written, defines, places))
    kernels = tuple(declaration for declaration in found if declaration.kind == "kernel")
    words = written.using(name for kernel in kernels for name in kernel.names)
    using = Occurrences(written.sources, {*words, "<<<"})

    @cache
    def may_use(path: str | None, start: int, end: int, name: str) -> bool:
        return path is not None and using.within(path, start, end, besides=name)

    def is_launched(path: str, offset: int, name: str) -> bool:
        return written.launch(path, offset, name) is not None

    around = Surroundings(
        sources=written.sources,
        declarations=found,
        files=tuple(written.files),
        defines=defines,
        dialect=command.dialect or Dialect.CUDA,
        active=active_macros(listed, places),
    )
    found_uses = uses(
        listed, kernels, root, command.directory, Text(written.callees, is_launched, may_use, written.passing)
    )
    plain = (kernel.cursor for kernel in kernels if kernel.cursor.kind is not CursorKind.FUNCTION_TEMPLATE)
    return _Pass(unit, around, kernels, found_uses, words, frozenset(cursor.spelling for cursor in plain))


def _marked(written: Written, defines: Collection[str], places: Places) -> Callable[[Any], bool]:
    """Return what tells whether the text of a cursor, or what stands just before it, may head a kernel."""
    told = {define.partition("=")[0] for define in defines if _GLOBAL in define}
    marks = Occurrences(written.sources, written.standing_for({_GLOBAL, *_PASTED, *told}))

    def is_marked(cursor: Any) -> bool:
        path, start, end = places.extent(cursor)
        return path is not None and marks.within(path, max(0, start - _BEFORE), end)

    return is_marked


def _completed(host: _Pass, seen: Translation) -> Iterator[_Pass]:
    """Yield passes with what would give launches types: stand-ins for what missing headers declare, and uses of types.

    Only the uses that each shows are kept of it: a syntax tree may take some hundred megabytes.
    """
    told, text, last = errors(host.unit), "", host
    for _ in range(_MOST_ROUNDS):
        before, text = text, stand_ins(told, host.around.declarations, seen.written) if _is_untyped(last, seen) else ""
        if text in ("", before):
            break
        more, found = _uses_with(text, seen)
        told += more
        last = replace(host, kernels=(), uses=found)
        yield last
    behind = _named(host, seen) if _is_untyped(last, seen) else ""
    if behind:
        yield replace(host, kernels=(), uses=_uses_with(text, seen, behind)[1])


def _named(host: _Pass, seen: Translation) -> str:
    """Return instantiations of the types that a unit names, where their members may launch."""
    places = Places(seen.root, seen.command.directory)
    using = Occurrences(seen.written.sources, {*host.words, *_users(host), "<<<"})

    def may_launch(template: Any) -> bool:
        path, start, end = places.extent(template)
        return path is not None and using.within(path, start, end)

    return instantiated(host.unit, seen.command.file, places, may_launch, interrupted=bool(errors(host.unit)))


def _uses_with(text: str, seen: Translation, behind: str = "") -> tuple[list[str], Collection[Use]]:
    """Return the errors of a parse with declarations before it, and behind it, and the uses that it shows."""
    unit = seen.completed_by(text, behind)
    return errors(unit), _pass(unit, seen).uses


def _is_untyped(host: _Pass, seen: Translation) -> bool:
    """Tell whether there are launches of templates, or of what they are given, that the compiler made nothing of."""
    written = seen.written
    known = {(use.path, text.start) for use in host.uses if use.arguments and (text := launch_of(use, written))}
    listed = ((path, text) for path, texts in written.launches.items() for text in texts if not text.in_macro)
    return any(text.name not in host.plain and (path, text.start) not in known for path, text in listed)


def _unseen(written: Written, host: _Pass) -> bool:
    return bool(written.missing({(kernel.path, kernel.cursor.spelling) for kernel in host.kernels}))


def _all_uses(passes: Collection[_Pass]) -> Collection[Use]:
    """Return the uses that passes show; where two resolve a use to other overloads, that of the first one counts."""
    first = next(iter(passes))
    known: dict[tuple[str, tuple[str, ...]], set[Place]] = defaultdict(set)
    for use in first.uses:
        known[(use.kernel, use.arguments)].add(use.target)

    def holds(use: Use) -> bool:
        targets = known.get((use.kernel, use.arguments))
        return targets is None or not use.arguments or use.target in targets

    every = (use for one in passes for use in one.uses if one is first or holds(use))
    return dict.fromkeys(speakable(use) for use in every)


def _kernels(
    passes: Collection[_Pass], command: CompileCommand, written: Written, began: float
) -> list[KernelSighting]:
    """Return each kernel once, from the first pass that defines it; `began` is when, by the processor's time."""
    found: dict[tuple[str, int, str], KernelSighting] = {}
    made: dict[tuple[str, int, str], tuple[Declaration, Surroundings]] = {}
    instantiations = instantiated_with(_all_uses(passes), written)
    for one in passes:
        for kernel in one.kernels:
            key = (kernel.path, kernel.cursor.extent.start.offset, kernel.cursor.spelling)
            if kernel.is_definition and key not in found:
                found[key] = sighting(kernel, one.around, command, instantiations.get(key, ()))
                made[key] = (kernel, one.around)
    unused = Unused(command, time.process_time() - began)
    sites = open_sites(use for one in passes for use in one.uses)
    for key, (kernel, around) in made.items():
        found[key] = unused.completed(found[key], kernel, around, list(found.values()), sites.get(key, ()))
    return [with_making(one, *made[key]) for key, one in found.items()]


def _defines(command: CompileCommand) -> tuple[str, ...]:
    arguments = command.arguments
    joined = [argument[2:] for argument in arguments if argument.startswith("-D") and len(argument) > len("-D")]
    apart = [value for word, value in pairwise(arguments) if word == "-D"]
    return tuple(joined + apart)
