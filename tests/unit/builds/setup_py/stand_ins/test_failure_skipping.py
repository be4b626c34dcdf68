from __future__ import annotations

import ast
import itertools
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.setup_py.stand_ins import failure_skipping
from crawler.builds.setup_py.stand_ins.failure_skipping import (
    FailureSkippingLoader,
    compile_skipping_failures,
)
from crawler.builds.setup_py.stand_ins.placeholder import Placeholder


def run(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile_skipping_failures(textwrap.dedent(source), "setup.py"), names)
    return names


def test_a_statement_that_fails_is_skipped_and_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # a process reports so many failures only, and other tests may have used them up
    monkeypatch.setattr(failure_skipping, "_report_count", itertools.count())
    names = run("before = 1\nlost = 1 / 0\nafter = 2\n")
    assert (names["before"], names["after"]) == (1, 2)
    report = capsys.readouterr().out
    assert "stepped over ZeroDivisionError: division by zero (setup.py:2)" in report


@pytest.mark.parametrize(
    ("statement", "bound_names"),
    [
        ("lost = 1 / 0", ["lost"]),
        ("first, (second, *third) = None", ["first", "second", "third"]),
        ("lost: int = 1 / 0", ["lost"]),
        ("import no_such_module_at_all as lost", ["lost"]),
        ("import no_such_module_at_all.inner", ["no_such_module_at_all"]),
        ("from no_such_module_at_all import lost, other", ["lost", "other"]),
        ("class lost(1 / 0): pass", ["lost"]),
        ("@missing\ndef lost(): pass", ["lost"]),
    ],
)
def test_what_a_failed_statement_would_have_bound_is_a_placeholder(
    statement: str, bound_names: list[str]
) -> None:
    names = run(statement)
    assert all(isinstance(names[name], Placeholder) for name in bound_names)


def test_raise_and_assert_do_nothing() -> None:
    names = run(
        """
        def check():
            assert False, "no GPU here"
            raise SystemExit(1)
            return "checked"
        result = check()
        """
    )
    assert names["result"] == "checked"


def test_a_failure_in_a_function_skips_one_statement_of_it() -> None:
    names = run(
        """
        def flags():
            found = ["-O3"]
            found += [missing]
            return found
        result = flags()
        """
    )
    assert names["result"] == ["-O3"]


def test_a_program_that_catches_its_own_failures_sees_them() -> None:
    names = run(
        """
        try:
            import no_such_module_at_all
            has_module = True
        except ImportError:
            has_module = False
        """
    )
    assert names["has_module"] is False


def test_docstrings_generators_and_futures_stay() -> None:
    names = run(
        '''
        """The module."""
        from __future__ import annotations
        def count():
            """Count."""
            yield 1
            yield from (2, 3)
        result = list(count())
        '''
    )
    assert names["__doc__"] == "The module."
    assert names["count"].__doc__ == "Count."
    assert names["result"] == [1, 2, 3]


def test_blocks_deeper_than_python_allows_when_each_is_wrapped_still_run() -> None:
    depth = 15
    lines = [f"{' ' * level}for i{level} in (1,):" for level in range(depth)]
    lines.append(" " * depth + "result = 1 / 0")
    lines.append(" " * depth + "reached = True")
    assert run("\n".join(lines))["reached"] is True


def test_what_is_no_python_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxError):
        compile_skipping_failures("def broken(:", "setup.py")


def test_a_module_of_the_project_is_loaded_so(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("lost = missing\nkept = 1\n")
    code = FailureSkippingLoader("module", str(path)).get_code("module")
    assert code is not None
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["kept"] == 1


STATEMENTS = st.sampled_from(
    ["x = 1", "x = missing", "x += 1", "del x", "import os", "x.y = 2", "f()", "pass"]
)


@given(st.lists(STATEMENTS, max_size=8))
def test_no_sequence_of_statements_ends_a_module(statements: list[str]) -> None:
    source = "\n".join([*statements, "end = 'reached'"])
    assert ast.parse(source)
    assert run(source)["end"] == "reached"
