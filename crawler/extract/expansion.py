"""A macro's launch as one use of the macro makes it: the arguments of the use in place of the parameters."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from crawler.extract.brackets import closing, split, top_level
from crawler.extract.launch_texts import LaunchText
from crawler.extract.macros import Macro
from crawler.extract.source import SourceText

_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_CALLEE: Final = re.compile(r"[(\s&]*(?:[A-Za-z_]\w*\s*::\s*)*([A-Za-z_]\w*)")
_REST: Final = "__VA_ARGS__"
_SPLICED: Final = re.compile(r"\\\r?\n")


def expanded(text: LaunchText, macro: Macro, source: SourceText, at: int) -> LaunchText:
    """Return a launch in `macro` as the use at token `at` of `source` makes it; its range is that of the use.

    A launch in a macro that is used only by that one keeps the names of its own parameters.
    """
    lexemes = source.lexemes
    end = closing(source, at + 1) if at + 1 < len(lexemes) and lexemes[at + 1].text == "(" else -1
    direct = macro.name == lexemes[at].text and end > 0
    values = _values(macro, split(source, lexemes[at + 2 : end])) if direct else {}

    def filled(part: str) -> str:
        return _NAME.sub(lambda name: values.get(name.group(), name.group()), part)

    callee = _CALLEE.match(filled(text.name))
    arguments = [part for argument in text.arguments for part in top_level(filled(argument))]
    return replace(
        text,
        name=callee.group(1) if callee else text.name,
        start=lexemes[at].offset,
        end=lexemes[max(at, end)].end,
        grid=filled(text.grid),
        block=filled(text.block),
        shared_bytes=filled(text.shared_bytes),
        stream=filled(text.stream),
        arguments=tuple(arguments),
        preceding=filled(_SPLICED.sub("\n", text.preceding)),
    )


def _values(macro: Macro, given: tuple[str, ...]) -> dict[str, str]:
    parameters = re.match(rf"#\s*define\s+{re.escape(macro.name)}\(([^)]*)\)", macro.text)
    names = [name.strip() for name in parameters.group(1).split(",")] if parameters else []
    values = dict(zip(names, given, strict=False))
    if names and names[-1].endswith("..."):
        rest = ", ".join(given[len(names) - 1 :])
        values[names[-1].removesuffix("...").strip() or _REST] = rest
    return values
