"""The process that parses answers one request after the other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from crawler import codec
from crawler.errors import MissingTool
from crawler.extract.clang.precompiled_preludes import (
    PreludeVariant,
    load_shared_prelude,
)
from crawler.extract.parser_process.child import (
    FACTS_KIND,
    MESSAGE_HEADER,
    PRELUDE_KIND,
    REQUEST_KIND,
    START_KIND,
    TRIAL_KIND,
    ParseRequest,
    pack_message,
)
from crawler.extract.parser_process.parent import (
    extract_batch_facts,
    extract_syntax_facts,
)
from crawler.model import Layer, UnitFacts
from tests.unit.extract.conftest import command

PLAIN = "__global__ void k(float *x) { x[0] = 1; }\nvoid run(float *x) { k<<<1, 1>>>(x); }\n"
UNUSED = "template <class T> __global__ void scale(T *x) { x[0] = x[0] * T(2); }\n"
Child = subprocess.Popen[bytes]


@contextmanager
def start_child(root: Any) -> Iterator[Child]:
    child = subprocess.Popen(
        [sys.executable, "-m", "crawler.extract.parser_process.child", str(root)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert child.stdout is not None
        header = child.stdout.read(MESSAGE_HEADER.size)
        assert MESSAGE_HEADER.unpack(header) == (START_KIND, 0)
        yield child
    finally:
        child.kill()
        child.communicate()


def ask(child: Child, request: ParseRequest) -> tuple[UnitFacts, list[bytes]]:
    """Return the facts, and the kinds of the messages before them."""
    assert child.stdin is not None
    assert child.stdout is not None
    kinds: list[bytes] = []
    message = pack_message(REQUEST_KIND, codec.encode(request))
    while True:
        child.stdin.write(message)
        child.stdin.flush()
        message = b""
        kind, size = MESSAGE_HEADER.unpack(child.stdout.read(MESSAGE_HEADER.size))
        content = child.stdout.read(size)
        if kind == FACTS_KIND:
            return codec.decode(content, UnitFacts), kinds
        kinds.append(kind)
        if kind == PRELUDE_KIND:
            prelude = load_shared_prelude(codec.decode(content, PreludeVariant))
            message = pack_message(PRELUDE_KIND, prelude)


def test_each_prelude_is_asked_for_once(project: Callable[..., Any]) -> None:
    planted = project({"a.cu": PLAIN, "b.cu": PLAIN})
    with start_child(planted.root) as child:
        answers = [
            ask(child, ParseRequest(command=command)) for command in planted.commands
        ]
    # each unit is compiled once its parse has ended, with a prelude of its own
    assert [kinds for _, kinds in answers] == [
        [PRELUDE_KIND, TRIAL_KIND, PRELUDE_KIND],
        [TRIAL_KIND],
    ]
    assert [facts.kernels[0].found_by for facts, _ in answers] == [Layer.AST] * 2


def test_what_is_made_up_is_announced_once_and_can_be_left_out(
    project: Callable[..., Any],
) -> None:
    planted = project({"a.cu": UNUSED + UNUSED.replace("scale", "other")})
    (command,) = planted.commands
    with start_child(planted.root) as child:
        tried, tried_kinds = ask(child, ParseRequest(command=command))
        plain, plain_kinds = ask(child, ParseRequest(command=command, may_try=False))
    assert tried_kinds.count(TRIAL_KIND) == 1
    assert all(kernel.instantiations for kernel in tried.kernels)
    assert plain_kinds == []
    assert [kernel.instantiations for kernel in plain.kernels] == [(), ()]


def test_a_failure_is_answered_by_syntax_alone(project: Callable[..., Any]) -> None:
    planted = project({"a.cu": PLAIN})
    request = ParseRequest(command=planted.commands[0], failure="parse-timeout")
    with start_child(planted.root) as child:
        facts, kinds = ask(child, request)
    assert (facts.failure, kinds) == ("parse-timeout", [])
    assert facts.kernels[0].found_by is Layer.SYNTACTIC


def test_the_end_of_its_input_ends_it(project: Callable[..., Any]) -> None:
    with start_child(project({"a.cu": PLAIN}).root) as child:
        assert child.stdin is not None
        child.stdin.close()
        assert child.wait(timeout=60) == 0
        child.stdin = None


def test_a_parser_that_does_not_start_is_no_fault_of_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cu").write_text("__global__ void f(int *x) { x[0] = 1; }\n")
    monkeypatch.setattr(sys, "executable", "/usr/bin/false")
    with pytest.raises(MissingTool, match="kernelset doctor") as raised:
        list(extract_batch_facts(tmp_path, [command("a.cu")]))
    assert raised.value.code == "parser-not-started"


def test_syntax_alone_reads_no_file_but_the_command_s_own(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        '#include "b.cuh"\n__global__ void first(int *x) { x[0] = 1; }\n'
    )
    (tmp_path / "b.cuh").write_text("__global__ void second(int *x) { x[0] = 2; }\n")
    (facts,) = extract_syntax_facts(tmp_path, [command("a.cu")], "not parsed yet")

    assert facts.files == ("a.cu",)
    assert [kernel.name for kernel in facts.kernels] == ["first"]
    assert facts.kernels[0].reason == "not parsed yet"


def test_syntax_alone_knows_the_names_that_a_project_gives_kernels(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.cu").write_text(
        '#include "types.hpp"\nOUR_KERNEL void first(int *x) { x[0] = 1; }\n'
    )
    (tmp_path / "types.hpp").write_text("#define OUR_KERNEL __global__ static\n")
    (facts,) = extract_syntax_facts(tmp_path, [command("a.cu")], "not parsed yet")

    assert [kernel.name for kernel in facts.kernels] == ["first"]
