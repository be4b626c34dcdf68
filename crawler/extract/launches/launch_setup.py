"""Find the statements in front of a launch that compute its configuration."""

from __future__ import annotations

import re
from typing import Final

from crawler.cpp.files.source_text import SourceText
from crawler.cpp.identifiers import IDENTIFIER
from crawler.extract.syntax.launch_syntax import LaunchText

# e.g. `const dim3 grid(…`, `auto blocks = …`, `config.stream = …`; the text before a launch is
# cut out of its function, so that no parser would accept it
_DEFINITION: Final = re.compile(
    r"(?:[\w:<>,*&\s]{1,200}?[\s*&])?([A-Za-z_]\w*)(?:\.\w+)*\s*(?:=[^=]|\(|\{|;)"
)
_STATEMENT_END: Final = re.compile(r"(?<=[;{}])")
_WINDOW: Final = 4_000
"""Characters in front of a launch that are looked at."""
_MAX_STATEMENTS: Final = 20


def text_before_launch(
    source: SourceText, function_start: int, launch_text: LaunchText
) -> str:
    """Return what stands between the beginning of a function (-1 where unknown) and a launch in
    it.
    """
    preceding = text_before_offset(
        source,
        function_start,
        launch_text.start,
    )
    return preceding + launch_text.preceding_text


def text_before_offset(source: SourceText, function_start: int, offset: int) -> str:
    """Return what stands between the beginning of a function (-1 where unknown) and a place in
    it.
    """
    start = max(0, function_start, offset - _WINDOW)
    return source.text_between(start, offset)


def find_setup_statements(launch_text: LaunchText, preceding_text: str) -> str:
    """Return the statements that define the names in a launch's configuration, as written.

    Those that define names in these statements are among them, a line each.
    """
    configuration = (
        launch_text.grid,
        launch_text.block,
        launch_text.shared_bytes,
        launch_text.config_variable,
    )

    names = set(IDENTIFIER.findall(" ".join(configuration)))
    statements: list[str] = []
    # backwards, so that names of one statement are known when what defines them comes
    for written in reversed(_STATEMENT_END.split(preceding_text)):
        statement = _drop_comment_lines(written)
        definition = _DEFINITION.match(statement)
        if definition is None or definition[1] not in names:
            continue
        # `if (n > 0) {` defines nothing
        if statement.endswith(";") and "return" not in statement:
            statements.append(statement)
            names |= set(IDENTIFIER.findall(statement))

    return "\n".join(reversed(statements[:_MAX_STATEMENTS]))


def _drop_comment_lines(statement: str) -> str:
    """Return a statement without the comments and directives that have lines of their own."""
    lines = [
        line
        for line in statement.strip().splitlines()
        if not line.lstrip().startswith(("//", "#"))
    ]

    return "\n".join(lines).strip()
