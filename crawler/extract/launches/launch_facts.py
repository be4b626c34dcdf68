"""Combine what the AST and the text show of each launch."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace

from crawler.cpp.functions import FunctionDefinition, find_enclosing_function
from crawler.cpp.source_text import SourceText
from crawler.cpp.template_argument_text import is_universal_argument
from crawler.extract.launches.kernel_uses import KernelUse, SourcePlace
from crawler.extract.launches.launch_assignment import IN_MACRO_REASON
from crawler.extract.launches.launch_setup import (
    find_setup_statements,
    resolve_launch_structures,
    substitute_call_arguments,
    text_before_launch,
    text_before_offset,
)
from crawler.extract.syntax.launch_syntax import LaunchText
from crawler.extract.syntax.launch_wrappers import substitute_parameters
from crawler.extract.syntax.unit_text import UnitText
from crawler.model import Launch, LaunchFacts, Layer, Span

_Place = tuple[str, int, Span | None]
"""Path and offset of a launch, and for one that a macro makes where it stands in the macro."""
_Site = tuple[_Place, str, SourcePlace]
"""A launch's place, its kernel's name, and the definition that is launched."""


def collect_launch_sightings(
    unit_text: UnitText, kernel_uses: Collection[KernelUse]
) -> list[LaunchFacts]:
    """Return every launch of the unit's files with what the AST knows of it, a site once for
    each kernel.
    """
    sites: dict[_Site, list[KernelUse]] = defaultdict(list)
    texts: dict[_Site, LaunchText] = {}
    for use in kernel_uses:
        text = find_launch_of_use(use, unit_text)
        if text is not None:
            site = (_place(use.path, text), use.kernel, use.target)
            sites[site].append(use)
            texts[site] = text
    found = [
        _resolved(site, texts[site], same, unit_text) for site, same in sites.items()
    ]
    return found + list(_unresolved(unit_text, {place for place, _, _ in sites}))


def _place(path: str, text: LaunchText) -> _Place:
    return path, text.start, text.macro_span


def find_launch_of_use(kernel_use: KernelUse, unit_text: UnitText) -> LaunchText | None:
    """Return the text of the launch that a use stands in, if it is one."""
    return unit_text.find_launch(
        kernel_use.path,
        kernel_use.offset,
        kernel_use.kernel,
        kernel_use.template_arguments,
    )


def collect_text_launch_sightings(unit_text: UnitText) -> list[LaunchFacts]:
    """Return the launches that the text alone shows."""
    return list(_unresolved(unit_text, frozenset()))


def _resolved(
    site: _Site, text: LaunchText, same: list[KernelUse], written: UnitText
) -> LaunchFacts:
    (path, _, _), name, target = site
    inner = max(same, key=lambda use: use.enclosing_start)
    passed = next((use for use in same if use.bindings), inner)
    shown = _launch(written, written.sources[path], text, inner.enclosing_start, passed)
    launch = replace(
        shown,
        kernel_name=name,
        template_arguments=tuple(
            dict.fromkeys(
                use.template_arguments for use in same if use.template_arguments
            )
        )
        or _written(text),
        enclosing=inner.enclosing_function,
        argument_map=tuple(
            ("", text)
            for text in substitute_parameters(
                (text for _, text in shown.argument_map), passed.bindings
            )
        ),
    )
    return LaunchFacts(launch=launch, target_path=target[0], target_offset=target[1])


def _unresolved(written: UnitText, seen: Collection[_Place]) -> Iterator[LaunchFacts]:
    """Yield what only the text shows: launches that no use was seen of, and those in the
    definitions of macros.
    """
    for path, texts in written.launches.items():
        source = written.sources[path]
        for text in (*texts, *written.macro_launches.find_file_launches(path)):
            if text.is_in_macro:
                launch = replace(
                    _launch(written, source, text, text.start),
                    reason=IN_MACRO_REASON,
                    found_by=Layer.SYNTACTIC,
                )
                yield LaunchFacts(launch=launch)
            elif _place(path, text) not in seen:
                yield LaunchFacts(launch=_seen_by_text(written, source, text))


def _before_call(written: UnitText, called: SourcePlace) -> str:
    """Return what stands in front of a call in its function."""
    path, offset = called
    function = find_enclosing_function(written.sources[path], offset)
    return text_before_offset(
        written.sources[path], function.start if function else -1, offset
    )


def _seen_by_text(written: UnitText, source: SourceText, text: LaunchText) -> Launch:
    function = find_enclosing_function(source, text.start)
    start = function.start if function else -1
    return replace(
        _launch(written, source, text, start),
        found_by=Layer.SYNTACTIC,
        enclosing=function.name if function else "",
        template_arguments=_written(text),
        reason=_pointer(source, text, function),
    )


def _pointer(
    source: SourceText, text: LaunchText, function: FunctionDefinition | None
) -> str:
    """Return a reason where a kernel is launched through what the function was given, or holds."""
    if function is None or "<" in text.callee:
        return ""
    if re.search(r"\.|->", text.callee):
        return f"function-pointer: {text.callee}"
    named = re.escape(text.name)
    head = source.raw[function.start : function.body_start]
    if re.search(
        rf"[\w>&*)\]]\s*(?:\(\s*\*\s*)?\b{named}\b\s*\)?\s*[,)(=]",
        head[head.find("(") :],
    ):
        return f"function-parameter: {text.name}"
    before = source.raw[function.body_start : text.start]
    declared = rf"(?:\bauto\b[\s*&]*|\(\s*\*\s*|[\w>]\s*\*\s*|\b[A-Z_a-z]\w*\s+){named}\s*(?:\)\s*\(|=|;|\{{|\[)"
    return f"function-pointer: {text.name}" if re.search(declared, before) else ""


def _written(text: LaunchText) -> tuple[tuple[str, ...], ...]:
    """Return a launch's template arguments where they mean the same everywhere: `float`,
    `true`, `256`.
    """
    known = text.template_arguments and all(
        is_universal_argument(argument) for argument in text.template_arguments
    )
    return (text.template_arguments,) if known else ()


def _launch(
    written: UnitText,
    source: SourceText,
    launched: LaunchText,
    start: int,
    passed: KernelUse | None = None,
) -> Launch:
    """Return a launch by its text; `start` is where its function begins.

    `passed` says where that is called with what it launches.
    """
    before = text_before_launch(source, start, launched)
    text = resolve_launch_structures(
        written.expand_configuration_macro(launched), before
    )
    if passed is not None and passed.bindings:
        before += _before_call(written, passed.call_place)
        text = substitute_call_arguments(text, passed.bindings, before)
    return Launch(
        span=source.make_span(text.start, text.end),
        kernel_name=text.name,
        grid=text.grid,
        block=text.block,
        shared_bytes=text.shared_bytes,
        stream=text.stream,
        argument_map=tuple(
            ("", argument)
            for argument in written.expand_argument_macros(text.arguments)
        ),
        setup=find_setup_statements(text, before),
        callee=text.callee,
        body=text.macro_span,
    )
