"""Find the statements, structures and arrays that compute a launch configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from crawler.cpp.arguments import split_at_top_level_commas
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.source_text import SourceText
from crawler.extract.syntax.launch_syntax import LaunchText
from crawler.extract.syntax.launch_wrappers import ParameterBindings

_DEFINED: Final = re.compile(
    r"(?:[\w:<>,*&\s]{1,200}?[\s*&])?([A-Za-z_]\w*)(?:\.\w+)*\s*(?:=[^=]|\(|\{|;)"
)
_LONE: Final = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*(?![\w(])")
_MEMBER: Final = re.compile(r"([A-Za-z_]\w*|\(.{1,300}\))\s*(?:\.|->)\s*\w+", re.DOTALL)
_TEMPORARY: Final = re.compile(r"\(\s*[\w:]+\s*[({](.*)[)}]\s*\)", re.DOTALL)
_FEWEST: Final = 2
"""Values of a launch's configuration: its grid and its block."""
_LONGEST_VALUE: Final = 200
_WINDOW: Final = 4_000
_MOST_STATEMENTS: Final = 20
_MEMBERS: Final = ("gridDim", "blockDim", "dynamicSmemBytes", "stream")
"""Members of a configuration structure, in their order."""
_ADDRESS: Final = re.compile(
    r"^(?:\(\s*void\s*\*+\s*\)\s*|&\s*|(?:const_cast|static_cast|reinterpret_cast)<[^>]*>\s*)+"
)


def text_before_launch(
    source: SourceText, function_start: int, launch_text: LaunchText
) -> str:
    """Return what stands between the beginning of a function (-1 where unknown) and a launch in
    it.
    """
    return (
        text_before_offset(source, function_start, launch_text.start)
        + launch_text.preceding_text
    )


def text_before_offset(source: SourceText, function_start: int, offset: int) -> str:
    """Return what stands between the beginning of a function (-1 where unknown) and a place in
    it.
    """
    return source.text_between(max(0, function_start, offset - _WINDOW), offset)


def substitute_call_arguments(
    launch_text: LaunchText, bindings: ParameterBindings, preceding_text: str
) -> LaunchText:
    """Return a launch in a function with its configuration as a call of that function gives it.

    Where grid and block are members of one value, they are what that was made of, in the order
    of a launch.
    """
    values = {
        name: _bracketed(written)
        for name, written in bindings
        if len(written) <= _LONGEST_VALUE
    }
    given = (
        _filled(each, values)
        for each in (
            launch_text.grid,
            launch_text.block,
            launch_text.shared_bytes,
            launch_text.stream,
        )
    )
    grid, block, shared_bytes, stream = _made_of(tuple(given), preceding_text)
    return replace(
        launch_text, grid=grid, block=block, shared_bytes=shared_bytes, stream=stream
    )


def _bracketed(written: str) -> str:
    return written if re.fullmatch(r"[\w.:]+", written) else f"({written})"


def _made(value: str, before: str) -> list[str]:
    """Return what a value is made of: one that is written in place, or what `before` gives a
    name at last.
    """
    at_once = _TEMPORARY.fullmatch(value)
    name = re.escape(value)
    made = (
        re.findall(
            rf"\b{name}\s*(?:=\s*(?:[\w:]+\s*)?)?[({{]([^;]{{1,400}})[)}}]\s*;", before
        )
        if not at_once
        else []
    )
    return split_at_top_level_commas(
        at_once[1] if at_once else made[-1] if made else ""
    )


def _filled(written: str, values: Mapping[str, str]) -> str:
    return _LONE.sub(lambda found: values.get(found[0], found[0]), written)


def _made_of(given: tuple[str, ...], before: str) -> tuple[str, ...]:
    """Return what members of one value hold by how it was made: `s.grid` of `Shape s(blocks,
    threads, 0)`.
    """
    receivers = [
        found[1] if (found := _MEMBER.fullmatch(each)) else "" for each in given
    ]
    if not receivers[0] or receivers[0] != receivers[1]:
        return given
    parts = _made(receivers[0], before)
    if len(parts) < _FEWEST:
        return given
    return tuple(
        parts[at] if each == receivers[0] and at < len(parts) else given[at]
        for at, each in enumerate(receivers)
    )


def resolve_launch_structures(
    launch_text: LaunchText, preceding_text: str
) -> LaunchText:
    """Return a launch with what its configuration structure and its array of arguments hold,
    where that shows.
    """
    if launch_text.config_variable:
        members = _configuration(launch_text.config_variable, preceding_text)
        launch_text = replace(
            launch_text,
            grid=members.get("gridDim", launch_text.grid),
            block=members.get("blockDim", launch_text.block),
            shared_bytes=members.get(
                "dynamicSmemBytes", "0" if members else launch_text.shared_bytes
            ),
            stream=members.get("stream", "0" if members else launch_text.stream),
        )
    if launch_text.argument_array:
        launch_text = replace(
            launch_text, arguments=_elements(launch_text.argument_array, preceding_text)
        )
    return launch_text


def find_setup_statements(launch_text: LaunchText, preceding_text: str) -> str:
    """Return the statements of `preceding_text` that define the names in a launch's
    configuration, as written.
    """
    names = set(
        IDENTIFIER.findall(
            " ".join(
                (
                    launch_text.grid,
                    launch_text.block,
                    launch_text.shared_bytes,
                    launch_text.config_variable,
                )
            )
        )
    )
    found: list[str] = []
    for statement in reversed(re.split(r"(?<=[;{}])", preceding_text)):
        lines = [
            line
            for line in statement.strip().splitlines()
            if not line.lstrip().startswith(("//", "#"))
        ]
        cleaned = "\n".join(lines).strip()
        defined = _DEFINED.match(cleaned)
        if (
            defined
            and cleaned.endswith(";")
            and defined.group(1) in names
            and "return" not in cleaned
        ):
            found.append(cleaned)
            names |= set(IDENTIFIER.findall(cleaned))
    return "\n".join(reversed(found[:_MOST_STATEMENTS]))


def _configuration(config: str, before: str) -> dict[str, str]:
    """Return what was last given to the members of a configuration structure."""
    name = re.escape(config)
    found: dict[str, str] = {}
    listed = re.search(rf"\b{name}\s*(?:=\s*)?\{{([^;]+)\}}\s*;", before)
    if listed and "." not in listed.group(1).split(",")[0]:
        found = dict(
            zip(_MEMBERS, split_at_top_level_commas(listed.group(1)), strict=False)
        )
    pattern = rf"(?:\b{name}\s*(?:\.|->)|[{{,]\s*\.)\s*({'|'.join(_MEMBERS)})\s*=\s*([^;]+?)\s*(?=;|,\s*\.|\}})"
    for member, value in re.findall(pattern, before):
        found[member] = value
    return found


def _elements(array: str, before: str) -> tuple[str, ...]:
    """Return what an array of addresses points to."""
    listed = re.search(
        rf"\b{re.escape(array)}\s*\[[^\]]*\]\s*(?:=\s*)?\{{([^;]*)\}}\s*;", before
    )
    return (
        tuple(
            _ADDRESS.sub("", element).strip()
            for element in split_at_top_level_commas(listed.group(1))
        )
        if listed
        else ()
    )
