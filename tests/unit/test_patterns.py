"""Each regular expression says which text it reads, and why a pattern serves."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("crawler", "storage", "workers")


def list_silent_patterns(source: str) -> list[str]:
    """Return the names of a module's patterns that nothing is said of.

    A comment stands directly above a pattern, or above others right in front of it; or a
    docstring stands below.
    """
    lines = source.splitlines()
    silent_names: list[str] = []
    told_end = -1
    statements = ast.parse(source).body

    for statement, following in zip(
        statements, [*statements[1:], ast.Pass()], strict=True
    ):
        is_assignment = isinstance(statement, ast.Assign | ast.AnnAssign)
        if not is_assignment or "re.compile(" not in ast.unparse(statement):
            continue

        line_above = lines[statement.lineno - 2] if statement.lineno > 1 else ""
        if line_above.startswith("#") or told_end == statement.lineno - 1:
            told_end = statement.end_lineno or 0
        elif not isinstance(following, ast.Expr):
            silent_names.append(ast.unparse(statement).partition(":")[0])

    return silent_names


def test_each_pattern_says_what_it_reads() -> None:
    sources = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    silent_names = {
        str(path.relative_to(ROOT)): list_silent_patterns(path.read_text())
        for path in sources
    }
    assert sources
    assert {path: names for path, names in silent_names.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "silent_names"),
    [
        ("_A: Final = re.compile('a')", ["_A"]),
        ("# a line of a log\n_A: Final = re.compile('a')", []),
        ("_A: Final = re.compile('a')\n'''A line of a log.'''", []),
        (
            "# of a log\n_A: Final = re.compile(\n    'a'\n)\n_B: Final = re.compile('b')",
            [],
        ),
        (
            "# of a log\n_A: Final = re.compile('a')\n\n_B: Final = re.compile('b')",
            ["_B"],
        ),
        ("# of a log\n_N: Final = 1\n_A: Final = (re.compile('a'),)", ["_A"]),
        ("import re\n_A: Final = {'a': re.compile('a')}\n_B: Final = 2", ["_A"]),
    ],
)
def test_a_pattern_without_a_word_is_found(
    source: str, silent_names: list[str]
) -> None:
    assert list_silent_patterns(source) == silent_names
