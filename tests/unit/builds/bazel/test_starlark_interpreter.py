from __future__ import annotations

import contextlib
import resource
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.builds.bazel.starlark_interpreter import Interpreter
from crawler.builds.bazel.starlark_syntax import Call, parse_starlark
from crawler.builds.bazel.starlark_values import (
    Budget,
    BudgetExceeded,
    Unknown,
    Unsupported,
)


def run(text: str, steps: int = 200_000) -> dict[str, Any]:
    scope: dict[str, Any] = {}

    def answer_call(call: Call) -> Any:
        return Unknown(call.name)

    Interpreter(answer_call, Budget(steps)).run_module(parse_starlark(text), scope)
    return scope


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("['a'] + ['b'] + unknown + ['c']", ["a", "b", "c"]),
        ("['%s.cu' % n for n in ('a', 'b') if n != 'a']", ["b.cu"]),
        ("'-D{}={x}'.format('A', x = 1)", "-DA=1"),
        ("'%s-%d%%' % ('a', 3)", "a-3%"),
        ("{'a': 1} | {'b': 2}", {"a": 1, "b": 2}),
        ("'a.cu'.replace('.cu', '_gpu').upper()", "A_GPU"),
        ("','.join(['a', 'b'])", "a,b"),
        ("['x', 'y'][1]", "y"),
        ("'abcdef'[1:3]", "bc"),
        ("'in' if 'a' in ['a'] and not 'b' in 'xyz' else 'out'", "in"),
        ("{'k': 'v'}.get('other', 'default')", "default"),
        ("[k + v for k, v in {'a': 'b'}.items()]", ["ab"]),
        ("['-D', 'A'] * 2", ["-D", "A", "-D", "A"]),
        ("-3 + 2", -1),
    ],
)
def test_an_expression_means_what_starlark_means(written: str, meant: object) -> None:
    assert run(f"X = {written}")["X"] == meant


def test_a_macro_runs_with_its_defaults_loops_and_named_arguments() -> None:
    text = """
def flags(names, prefix = "-D", *rest, **named):
    found = []
    for name in names:
        if name == "skip":
            continue
        if name == "stop":
            break
        found.append(prefix + name)
    return found + [named["last"]]
X = flags(["A", "skip", "B", "stop", "C"], last = "-DZ")
"""
    assert run(text)["X"] == ["-DA", "-DB", "-DZ"]


@pytest.mark.parametrize(
    "text",
    [
        "X = __import__('os').system('id')",
        "X = ().__class__.__bases__[0].__subclasses__()",
        "import os\nX = os.getcwd()",
        "X = open('/etc/passwd').read()",
        "X = (lambda: 1)()",
        "class X: pass",
        "X = '{0.__class__}'.format(1)",
        "X = f'{1}'",
        "X = 'a'.encode()",
    ],
)
def test_nothing_of_python_is_reached(text: str) -> None:
    value = run(text).get("X")
    assert value is None or isinstance(value, Unknown | str)
    assert "class 'int'" not in str(value)


@pytest.mark.parametrize(
    "text",
    [
        "X = 'a' * 100000000000",
        "X = ['a'] * 100000000000",
        "X = '%1000000000d' % 1",
        "X = '{:>1000000000}'.format(1)",
        "X = 9" + " * 9" * 300,
        "X = 'a'\n" + "X = X + X\n" * 60,
        "X = ['a']\n" + "X = X + X\n" * 60,
        "X = 'ab'\n" + "X = X.replace('a', X)\n" * 60,
        "A = ['a']\nB = ['a']\n"
        + "A = [A, A]\nB = [B, B]\n" * 60
        + "X = A == B\nY = A in [B]",
        "X = [a for a in range(100000) for b in range(100000)]",
        "def f(x):\n    return f(x) + f(x)\nX = f(1)",
        "L = ['a']\nfor x in range(1000000000):\n    L.append('a')",
        "X = ['a' for _ in range(1000)]\nfor x in X:\n    X += X",
        "X = " + "(" * 5000 + ")" * 5000,
        "X = " + "-" * 5000 + "1",
        "X = 'a'" + " + 'a'" * 20000,
        "X = " + "[" * 150 + "]" * 150,
        "X = 1\0",
        "X = 0x" + "f" * 100_000 + "\nY = str(X)",
        "X = {}\nX[('a', ['b'])] = 1\nX.setdefault(('a', ['b']), 1)",
    ],
)
def test_a_hostile_file_costs_little(text: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF)
    with contextlib.suppress(BudgetExceeded, Unsupported):
        run(text)
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert after.ru_utime - before.ru_utime < 10
    assert after.ru_maxrss - before.ru_maxrss < 200 << 10


WRITTEN = "a 's' 1 [ ] ( ) { } + * % , : = == in for if else not return . join format select - | None ** and load"
WORDS = st.sampled_from([*WRITTEN.split(), "def f(x):\n  ", "\n"])


@settings(max_examples=300, deadline=None)
@given(
    st.lists(WORDS, max_size=40).map(" ".join) | st.text(string.printable, max_size=80)
)
def test_any_text_is_read_or_refused(text: str) -> None:
    scope: dict[str, Any] = {}
    with contextlib.suppress(BudgetExceeded, Unsupported):
        scope = run(text, steps=5000)
    assert all(isinstance(name, str) for name in scope)
