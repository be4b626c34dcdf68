"""Every stable code that the sources can give, found in their syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SLUG = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
TABLES = {"_MESSAGES", "_MEANT", "CODES", "_REASONS", "_CODES"}
"""Names of dictionaries that translate to codes, or explain them."""
RETURNING = {
    "crawler/extract/parser_process/parent.py": (
        "parse-crashed",
        "parse-timeout",
        "parse-too-large",
    ),
    "storage/ledger/leases/reclaim.py": ("killed-its-worker",),
}
"""Codes that travel as plain text; a test holds that they stand there."""


def codes() -> set[str]:
    """Every code, `port-CLASS` for those that a port's class ends."""
    slugs = {code for codes in RETURNING.values() for code in codes}
    for package in ("crawler", "storage", "workers"):
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text()
            if re.search("code|" + "|".join(TABLES), text):
                slugs |= {code for code in _in(ast.parse(text)) if SLUG.fullmatch(code)}
    return {code for code in slugs if len(code) > 1}


def _in(tree: ast.Module) -> Iterator[str]:
    nodes = list(ast.walk(tree))
    places = dict(_places(nodes))
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            yield from _list_assigned(node)
        elif isinstance(node, ast.Call):
            yield from _list_passed(node, places)


def _places(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, int]]:
    """Functions of a module that take a `code`, and as which argument."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            names = [
                argument.arg for argument in node.args.args if argument.arg != "self"
            ]
            if "code" in names:
                yield node.name, names.index("code")


def _list_assigned(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    name = targets[0].id if isinstance(targets[0], ast.Name) else ""
    if name == "code" and node.value is not None:
        yield from _texts(node.value)
    if name in TABLES and isinstance(node.value, ast.Dict):
        for part in (*node.value.keys, *node.value.values):
            yield from _texts(part) if part is not None else ()


def _list_passed(node: ast.Call, places: dict[str, int]) -> Iterator[str]:
    for keyword in node.keywords:
        if keyword.arg == "code":
            yield from _texts(keyword.value)
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in places and places[name] < len(node.args):
        yield from _texts(node.args[places[name]])


def _texts(node: ast.expr) -> Iterator[str]:
    """The literals that an expression may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*_texts(node.body), *_texts(node.orelse))
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _texts(value)
