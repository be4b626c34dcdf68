"""Joins what the AST says of a launch with its text: configuration, arguments, and the statements that compute them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace

from crawler.extract.functions import Function, enclosing
from crawler.extract.instantiations import is_plain
from crawler.extract.join import IN_MACRO
from crawler.extract.launch_texts import LaunchText
from crawler.extract.passing import given
from crawler.extract.setup import as_called, completed, setup, text_ahead, text_before
from crawler.extract.source import SourceText
from crawler.extract.uses import Place, Use
from crawler.extract.written import Written
from crawler.model import Launch, LaunchSighting, Layer, Span

_Place = tuple[str, int, Span | None]
"""Path and offset of a launch, and for one that a macro makes where it stands in the macro."""
_Site = tuple[_Place, str, Place]
"""A launch's place, its kernel's name, and the definition that is launched."""


def launch_sightings(written: Written, uses: Collection[Use]) -> list[LaunchSighting]:
    """Return every launch of the unit's files with what the AST knows of it, a site once for each kernel."""
    sites: dict[_Site, list[Use]] = defaultdict(list)
    texts: dict[_Site, LaunchText] = {}
    for use in uses:
        text = launch_of(use, written)
        if text is not None:
            site = (_place(use.path, text), use.kernel, use.target)
            sites[site].append(use)
            texts[site] = text
    found = [_resolved(site, texts[site], same, written) for site, same in sites.items()]
    return found + list(_unresolved(written, {place for place, _, _ in sites}))


def _place(path: str, text: LaunchText) -> _Place:
    return path, text.start, text.body


def launch_of(use: Use, written: Written) -> LaunchText | None:
    """Return the text of the launch that a use stands in, if it is one."""
    return written.launch(use.path, use.offset, use.kernel, use.arguments)


def written_sightings(written: Written) -> list[LaunchSighting]:
    """Return the launches that the text alone shows."""
    return list(_unresolved(written, frozenset()))


def _resolved(site: _Site, text: LaunchText, same: list[Use], written: Written) -> LaunchSighting:
    (path, _, _), name, target = site
    inner = max(same, key=lambda use: use.enclosing_start)
    passed = next((use for use in same if use.given), inner)
    shown = _launch(written, written.sources[path], text, inner.enclosing_start, passed)
    launch = replace(
        shown,
        kernel_name=name,
        template_arguments=tuple(dict.fromkeys(use.arguments for use in same if use.arguments)) or _written(text),
        enclosing=inner.enclosing,
        argument_map=tuple(("", text) for text in given((text for _, text in shown.argument_map), passed.given)),
    )
    return LaunchSighting(launch=launch, target_path=target[0], target_offset=target[1])


def _unresolved(written: Written, seen: Collection[_Place]) -> Iterator[LaunchSighting]:
    """Yield what only the text shows: launches that no use was seen of, and those in the definitions of macros."""
    for path, texts in written.launches.items():
        source = written.sources[path]
        for text in (*texts, *written.macro_uses.of_file(path)):
            if text.in_macro:
                launch = replace(_launch(written, source, text, text.start), reason=IN_MACRO, found_by=Layer.SYNTACTIC)
                yield LaunchSighting(launch=launch)
            elif _place(path, text) not in seen:
                yield LaunchSighting(launch=_seen_by_text(written, source, text))


def _before_call(written: Written, called: Place) -> str:
    """Return what stands in front of a call in its function."""
    path, offset = called
    function = enclosing(written.sources[path], offset)
    return text_ahead(written.sources[path], function.start if function else -1, offset)


def _seen_by_text(written: Written, source: SourceText, text: LaunchText) -> Launch:
    function = enclosing(source, text.start)
    start = function.start if function else -1
    return replace(
        _launch(written, source, text, start),
        found_by=Layer.SYNTACTIC,
        enclosing=function.name if function else "",
        template_arguments=_written(text),
        reason=_pointer(source, text, function),
    )


def _pointer(source: SourceText, text: LaunchText, function: Function | None) -> str:
    """Return a reason where a kernel is launched through what the function was given, or holds."""
    if function is None or "<" in text.callee:
        return ""
    if re.search(r"\.|->", text.callee):
        return f"function-pointer: {text.callee}"
    named = re.escape(text.name)
    head = source.raw[function.start : function.body]
    if re.search(rf"[\w>&*)\]]\s*(?:\(\s*\*\s*)?\b{named}\b\s*\)?\s*[,)(=]", head[head.find("(") :]):
        return f"function-parameter: {text.name}"
    before = source.raw[function.body : text.start]
    declared = rf"(?:\bauto\b[\s*&]*|\(\s*\*\s*|[\w>]\s*\*\s*|\b[A-Z_a-z]\w*\s+){named}\s*(?:\)\s*\(|=|;|\{{|\[)"
    return f"function-pointer: {text.name}" if re.search(declared, before) else ""


def _written(text: LaunchText) -> tuple[tuple[str, ...], ...]:
    """Return a launch's template arguments where they mean the same everywhere: `float`, `true`, `256`."""
    known = text.template_arguments and all(is_plain(argument) for argument in text.template_arguments)
    return (text.template_arguments,) if known else ()


def _launch(
    written: Written, source: SourceText, launched: LaunchText, start: int, passed: Use | None = None
) -> Launch:
    """Return a launch by its text; `start` is where its function begins.

    `passed` says where that is called with what it launches.
    """
    before = text_before(source, start, launched)
    text = completed(written.configured(launched), before)
    if passed is not None and passed.given:
        before += _before_call(written, passed.called)
        text = as_called(text, passed.given, before)
    return Launch(
        span=source.span(text.start, text.end),
        kernel_name=text.name,
        grid=text.grid,
        block=text.block,
        shared_bytes=text.shared_bytes,
        stream=text.stream,
        argument_map=tuple(("", argument) for argument in written.spread(text.arguments)),
        setup=setup(text, before),
        callee=text.callee,
        body=text.body,
    )
