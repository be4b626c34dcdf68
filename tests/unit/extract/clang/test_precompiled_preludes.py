"""Preludes are precompiled once on a machine; what was made of other headers is never used."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler import cache, codec, process, sandbox
from crawler.extract.clang import precompiled_preludes
from crawler.extract.clang.parse import uses_large_std_headers
from crawler.extract.clang.precompiled_preludes import (
    PreludeVariant,
    load_shared_prelude,
    prepare_prelude,
)
from crawler.extract.parser_process import parent
from crawler.extract.parser_process.child import (
    PRELUDE_KIND,
    ParseRequest,
    pack_message,
)
from crawler.model import Dialect, Layer
from crawler.toolchains import system_files

PLAIN = PreludeVariant(torch=False, device=None, standard="c++17")
OF_UNITS = PreludeVariant(
    torch=False,
    device=Dialect.CUDA,
    standard="c++17",
    unit_prelude="<kernelset/cuda.cuh>",
)
KERNEL = (
    "__global__ void k(float* a) { a[0] = 1; }\nvoid f(float* a) { k<<<1, 2>>>(a); }\n"
)


def test_the_first_who_asks_makes_it_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, project: Callable[..., Any]
) -> None:
    monkeypatch.setattr(cache, "ensure_cache_folder", lambda: tmp_path)
    planted = project({"a.cu": KERNEL})
    for _ in range(2):
        (facts,) = parent.extract_batch_facts(planted.root, planted.commands)
        assert (facts.failure, [kernel.found_by for kernel in facts.kernels]) == (
            "",
            [Layer.AST],
        )
        # one that its source is parsed with, and one that its unit is checked with
        files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
        assert [path.name for path in files] == ["prelude.pch"] * 2
    assert {load_shared_prelude(PLAIN), load_shared_prelude(OF_UNITS)} == {
        path.read_bytes() for path in files
    }
    assert len(list(tmp_path.iterdir())) == 2


def test_none_is_made_for_a_standard_that_nobody_knows() -> None:
    assert (
        load_shared_prelude(
            PreludeVariant(torch=False, device=None, standard="../../etc")
        )
        == b""
    )


@pytest.mark.parametrize("variant", [PLAIN, OF_UNITS])
def test_one_that_was_made_outside_serves_in_the_sandbox(
    variant: PreludeVariant,
) -> None:
    code = (
        "import sys; from pathlib import Path; from crawler import codec\n"
        "from crawler.extract.clang import precompiled_preludes as preludes\n"
        "lent = Path('/tmp/lent.pch'); lent.write_bytes(sys.stdin.buffer.read())\n"
        "variant = codec.decode(sys.argv[1], preludes.PreludeVariant)\n"
        "raise SystemExit(not preludes._is_usable(variant, lent))\n"
    )
    ended = sandbox.run(
        [sys.executable, "-c", code, codec.encode(variant).decode()],
        mounts=sandbox.list_python_mounts(),
        env=sandbox.make_python_environment(),
        stdin=load_shared_prelude(variant),
        system=system_files.list_parser_files(),
    )
    assert ended.exit_code == 0, ended.text


@pytest.mark.parametrize(
    "included",
    ["</etc/passwd>", '"/etc/passwd"', "<kernelset/cuda.cuh>\n#include </etc/passwd>"],
)
def test_none_is_made_of_files_that_are_not_ours(included: str) -> None:
    assert load_shared_prelude(replace(OF_UNITS, unit_prelude=included)) == b""


@pytest.mark.parametrize("variant", [PLAIN, OF_UNITS])
@pytest.mark.parametrize("content", [b"", b"no precompiled header"])
def test_one_that_does_not_serve_is_made_anew(
    monkeypatch: pytest.MonkeyPatch, content: bytes, variant: PreludeVariant
) -> None:
    monkeypatch.setattr(
        precompiled_preludes, "provide_prelude", lambda variant: content
    )
    target = Path(prepare_prelude.__wrapped__(variant))
    assert target.stat().st_size > 1_000_000


@pytest.mark.parametrize(
    ("hostile", "failure"),
    [
        ("import time; time.sleep(60)", "parse-timeout"),
        ("out.write(asked); out.flush(); import time; time.sleep(60)", "parse-timeout"),
        ("out.write(asked * 100); out.flush(); sys.stdin.read()", "parse-crashed"),
        (
            "out.write(b'f\\xff\\xff\\xff\\xff'); out.flush(); sys.stdin.read()",
            "parse-too-large",
        ),
        (
            "out.write(b'f\\x02\\0\\0\\0{]'); out.flush(); sys.stdin.read()",
            "parse-crashed",
        ),
        (
            "out.write(b'p\\x02\\0\\0\\0{]'); out.flush(); sys.stdin.read()",
            "parse-crashed",
        ),
        ("raise SystemExit(1)", "parse-crashed"),
    ],
)
def test_a_child_that_says_anything_costs_its_unit(
    project: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    hostile: str,
    failure: str,
) -> None:
    request = pack_message(
        PRELUDE_KIND, b'{"torch":false,"device":null,"standard":"c++17"}'
    )
    code = f"import sys; out = sys.stdout.buffer; asked = {request!r}; {hostile}"
    monkeypatch.setattr(
        parent,
        "_start_child",
        lambda root: process.start([sys.executable, "-c", code], stdin=-1),
    )
    planted = project({"a.cu": KERNEL})
    began = time.monotonic()
    child = parent._ParserProcess(planted.root)
    try:
        facts, why = child.ask(
            ParseRequest(command=planted.commands[0]),
            1.5 if failure == "parse-timeout" else 60.0,
        )
    finally:
        child.end()
    assert (facts, why) == (None, failure)
    assert time.monotonic() - began < 60


def test_what_a_source_does_not_include_is_not_in_its_way(
    project: Callable[..., Any],
) -> None:
    own = "using namespace std;\ntemplate <class T> struct vector { T x; };\n"
    code = "__global__ void k(vector<float>* v) { v->x = 1; }\n"
    included = "#include <cstdio>\n#include <vector>\n__global__ void k(std::vector<float>* v) { *v; }\n"
    plain, library = project({"a.cu": own + code, "b.cu": included}).facts()
    assert [facts.diagnostics for facts in (plain, library)] == [(), ()]
    assert [
        uses_large_std_headers(text) for text in (own, included, "//#include <vector>")
    ] == [False, True, False]


def test_nothing_of_the_folder_it_is_called_in_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "ensure_cache_folder", lambda: tmp_path / "cache")
    (tmp_path / "cache").mkdir()
    strangers = tmp_path / "project/crawler/__init__.py"
    strangers.parent.mkdir(parents=True)
    strangers.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path / "project")
    assert load_shared_prelude(PLAIN)
    assert not (tmp_path / "ran").exists()
