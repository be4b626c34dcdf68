"""The table of trials names tests that there are, and what documents alone can hold is in them."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from crawler.cache import ensure_cache_folder

ROOT = Path(__file__).resolve().parents[3]
# `tests/unit/documents/test_trials.py::test_each_test_that_is_named_exists`
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
# `| what is tried | what comes of it | tests |`
ROW = re.compile(r"^\| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)


def list_rows() -> list[tuple[str, str, str]]:
    """Return what is tried, what comes of it, and the tests, without the head of the table."""
    head, *rows = ROW.findall((ROOT / "docs" / "trials.md").read_text())
    assert head == ("tried", "what comes of it", "shown by")
    return rows


@cache
def list_tests(path: str) -> frozenset[str]:
    """Return the names of the tests in a file."""
    tree = ast.parse((ROOT / path).read_text())
    return frozenset(
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
    )


@pytest.mark.parametrize(
    ("tried", "named"), [(tried, named) for tried, _, named in list_rows()]
)
def test_each_test_that_is_named_exists(tried: str, named: str) -> None:
    tests = TEST.findall(named)
    # nothing but tests stands there, so that none is overlooked for its spelling
    assert ", ".join(f"`{path}::{name}`" for path, name in tests) == named
    for path, name in tests:
        assert name in list_tests(path), (tried, path, name)


def test_no_command_that_is_shown_holds_a_password() -> None:
    # what stands in an argument is in every list of processes
    page = (ROOT / "docs" / "cluster.md").read_text()
    (command,) = re.findall(r"`([^`]*celery flower[^`]*)`", page)
    environment, _, arguments = command.partition("celery flower")
    assert environment == 'CELERY_BROKER_URL="$KERNELSET_BROKER" '
    assert not arguments


def test_the_cache_is_documented_under_its_name() -> None:
    page = (ROOT / "docs" / "operating.md").read_text()
    prefix, _, user = ensure_cache_folder().name.rpartition("-")
    assert user.isdecimal()
    assert f"`{prefix}-UID`" in page
