"""Joins what the AST says of a launch with its text: configuration, arguments, and the statements that compute them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Final

from crawler.extract.launch_texts import LaunchText
from crawler.extract.source import SourceText
from crawler.extract.uses import NOWHERE, Place, Use
from crawler.extract.written import Written
from crawler.model import Launch, LaunchSighting, Layer

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_DEFINED: Final = re.compile(r"(?:[\w:<>,*&\s]{1,200}?[\s*&])?([A-Za-z_]\w*)\s*(?:=[^=]|\(|\{)")
_SETUP_WINDOW: Final = 4_000
_MOST_STATEMENTS: Final = 20


def launch_sightings(written: Written, uses: Collection[Use]) -> list[LaunchSighting]:
    """Return every launch of the unit's files with what the AST knows of it, a site once for each kernel."""
    sites: dict[tuple[str, int, str], list[Use]] = defaultdict(list)
    texts: dict[tuple[str, int, str], LaunchText] = {}
    for use in uses:
        text = launch_of(use, written)
        if text is not None:
            site = (use.path, use.offset if text.in_macro else text.start, use.kernel)
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


def _resolved(site: tuple[str, int, str], text: LaunchText, same: list[Use], written: Written) -> LaunchSighting:
    path, offset, name = site
    source = written.sources[path]
    end = source.lexemes[source.position(offset)].end if text.in_macro else text.end
    launch = Launch(
        span=source.span(offset, end),
        kernel_name=name,
        grid=text.grid,
        block=text.block,
        shared_bytes=text.shared_bytes,
        stream=text.stream,
        template_arguments=tuple(dict.fromkeys(use.arguments for use in same if use.arguments)),
        argument_map=tuple(("", argument) for argument in text.arguments),
        enclosing=max(same, key=lambda use: use.enclosing_start).enclosing,
        setup=_setup(source, offset, text, max(use.enclosing_start for use in same)),
    )
    target = next((use.target for use in same if use.target != NOWHERE), NOWHERE)
    return LaunchSighting(launch=launch, target_path=target[0], target_offset=target[1])


def _unresolved(written: Written, seen: Collection[Place]) -> Iterator[LaunchSighting]:
    for path, texts in written.launches.items():
        for text in texts:
            if (path, text.start) not in seen and not text.in_macro:
                source = written.sources[path]
                launch = Launch(
                    span=source.span(text.start, text.end),
                    kernel_name=text.name,
                    grid=text.grid,
                    block=text.block,
                    shared_bytes=text.shared_bytes,
                    stream=text.stream,
                    argument_map=tuple(("", argument) for argument in text.arguments),
                    setup=_setup(source, text.start, text, -1),
                    found_by=Layer.SYNTACTIC,
                )
                yield LaunchSighting(launch=launch)


def _setup(source: SourceText, offset: int, text: LaunchText, start: int) -> str:
    """Return the statements of the function from `start` that define the names in a launch's configuration."""
    names = set(_NAME.findall(" ".join((text.grid, text.block, text.shared_bytes))))
    before = source.text(max(0, start, offset - _SETUP_WINDOW), offset)
    found: list[str] = []
    for statement in reversed(re.split(r"(?<=[;{}])", before)):
        lines = [line for line in statement.strip().splitlines() if not line.lstrip().startswith(("//", "#"))]
        cleaned = "\n".join(lines).strip()
        defined = _DEFINED.match(cleaned)
        if defined and cleaned.endswith(";") and defined.group(1) in names and "return" not in cleaned:
            found.append(cleaned)
            names |= set(_NAME.findall(cleaned))
    return "\n".join(reversed(found[:_MOST_STATEMENTS]))
