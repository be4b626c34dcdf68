"""Joins what the AST says of a launch with its text: configuration, arguments, and the statements that compute them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import replace

from crawler.extract.functions import enclosing
from crawler.extract.instantiations import is_plain
from crawler.extract.launch_texts import LaunchText
from crawler.extract.setup import completed, setup, text_before
from crawler.extract.source import SourceText
from crawler.extract.uses import Place, Use
from crawler.extract.written import Written
from crawler.model import Launch, LaunchSighting, Layer

_Site = tuple[str, int, str, Place]
"""Path and offset of a launch, its kernel's name, and the definition that is launched."""


def launch_sightings(written: Written, uses: Collection[Use]) -> list[LaunchSighting]:
    """Return every launch of the unit's files with what the AST knows of it, a site once for each kernel."""
    sites: dict[_Site, list[Use]] = defaultdict(list)
    texts: dict[_Site, LaunchText] = {}
    for use in uses:
        text = launch_of(use, written)
        if text is not None:
            site = (use.path, text.start, use.kernel, use.target)
            sites[site].append(use)
            texts[site] = text
    found = [_resolved(site, texts[site], same, written) for site, same in sites.items()]
    return found + list(_unresolved(written, {site[:2] for site in sites}))


def launch_of(use: Use, written: Written) -> LaunchText | None:
    """Return the text of the launch that a use stands in, if it is one."""
    return written.launch(use.path, use.offset, use.kernel)


def written_sightings(written: Written) -> list[LaunchSighting]:
    """Return the launches that the text alone shows."""
    return list(_unresolved(written, frozenset()))


def _resolved(site: _Site, text: LaunchText, same: list[Use], written: Written) -> LaunchSighting:
    path, _, name, target = site
    inner = max(same, key=lambda use: use.enclosing_start)
    launch = replace(
        _launch(written.sources[path], text, inner.enclosing_start),
        kernel_name=name,
        template_arguments=tuple(dict.fromkeys(use.arguments for use in same if use.arguments)) or _written(text),
        enclosing=inner.enclosing,
    )
    return LaunchSighting(launch=launch, target_path=target[0], target_offset=target[1])


def _unresolved(written: Written, seen: Collection[Place]) -> Iterator[LaunchSighting]:
    for path, texts in written.launches.items():
        source = written.sources[path]
        for text in texts:
            if (path, text.start) not in seen and not text.in_macro:
                function = enclosing(source, text.start)
                launch = _launch(source, text, function.start if function else -1)
                seen_by_text = replace(
                    launch,
                    found_by=Layer.SYNTACTIC,
                    enclosing=function.name if function else "",
                    template_arguments=_written(text),
                )
                yield LaunchSighting(launch=seen_by_text)


def _written(text: LaunchText) -> tuple[tuple[str, ...], ...]:
    """Return a launch's template arguments where they mean the same everywhere: `float`, `true`, `256`."""
    known = text.template_arguments and all(is_plain(argument) for argument in text.template_arguments)
    return (text.template_arguments,) if known else ()


def _launch(source: SourceText, written: LaunchText, start: int) -> Launch:
    """Return a launch by its text; `start` is where its function begins."""
    before = text_before(source, start, written)
    text = completed(written, before)
    return Launch(
        span=source.span(text.start, text.end),
        kernel_name=text.name,
        grid=text.grid,
        block=text.block,
        shared_bytes=text.shared_bytes,
        stream=text.stream,
        argument_map=tuple(("", argument) for argument in text.arguments),
        setup=setup(text, before),
    )
