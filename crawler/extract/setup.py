"""What computes a launch's configuration: statements in front of it, and the structures and arrays that they fill."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from crawler.extract.brackets import top_level
from crawler.extract.launch_texts import LaunchText
from crawler.extract.source import SourceText

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_DEFINED: Final = re.compile(r"(?:[\w:<>,*&\s]{1,200}?[\s*&])?([A-Za-z_]\w*)(?:\.\w+)*\s*(?:=[^=]|\(|\{|;)")
_WINDOW: Final = 4_000
_MOST_STATEMENTS: Final = 20
_MEMBERS: Final = ("gridDim", "blockDim", "dynamicSmemBytes", "stream")
"""Members of a configuration structure, in their order."""
_ADDRESS: Final = re.compile(
    r"^(?:\(\s*void\s*\*+\s*\)\s*|&\s*|(?:const_cast|static_cast|reinterpret_cast)<[^>]*>\s*)+"
)


def text_before(source: SourceText, start: int, text: LaunchText) -> str:
    """Return what stands between the beginning of a function (-1 where unknown) and a launch in it."""
    return source.text(max(0, start, text.start - _WINDOW), text.start) + text.preceding


def completed(text: LaunchText, before: str) -> LaunchText:
    """Return a launch with what its configuration structure and its array of arguments hold, where that shows."""
    if text.config:
        members = _configuration(text.config, before)
        text = replace(
            text,
            grid=members.get("gridDim", text.grid),
            block=members.get("blockDim", text.block),
            shared_bytes=members.get("dynamicSmemBytes", "0" if members else text.shared_bytes),
            stream=members.get("stream", "0" if members else text.stream),
        )
    if text.array:
        text = replace(text, arguments=_elements(text.array, before))
    return text


def setup(text: LaunchText, before: str) -> str:
    """Return the statements of `before` that define the names in a launch's configuration, as written."""
    names = set(_NAME.findall(" ".join((text.grid, text.block, text.shared_bytes, text.config))))
    found: list[str] = []
    for statement in reversed(re.split(r"(?<=[;{}])", before)):
        lines = [line for line in statement.strip().splitlines() if not line.lstrip().startswith(("//", "#"))]
        cleaned = "\n".join(lines).strip()
        defined = _DEFINED.match(cleaned)
        if defined and cleaned.endswith(";") and defined.group(1) in names and "return" not in cleaned:
            found.append(cleaned)
            names |= set(_NAME.findall(cleaned))
    return "\n".join(reversed(found[:_MOST_STATEMENTS]))


def _configuration(config: str, before: str) -> dict[str, str]:
    """Return what was last given to the members of a configuration structure."""
    name = re.escape(config)
    found: dict[str, str] = {}
    listed = re.search(rf"\b{name}\s*(?:=\s*)?\{{([^;]+)\}}\s*;", before)
    if listed and "." not in listed.group(1).split(",")[0]:
        found = dict(zip(_MEMBERS, top_level(listed.group(1)), strict=False))
    pattern = rf"(?:\b{name}\s*(?:\.|->)|[{{,]\s*\.)\s*({'|'.join(_MEMBERS)})\s*=\s*([^;]+?)\s*(?=;|,\s*\.|\}})"
    for member, value in re.findall(pattern, before):
        found[member] = value
    return found


def _elements(array: str, before: str) -> tuple[str, ...]:
    """Return what an array of addresses points to."""
    listed = re.search(rf"\b{re.escape(array)}\s*\[[^\]]*\]\s*(?:=\s*)?\{{([^;]*)\}}\s*;", before)
    return tuple(_ADDRESS.sub("", element).strip() for element in top_level(listed.group(1))) if listed else ()
