"""Every command that the documents and `--help` show does what it says, or at least parses
where it needs a network.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.main import get_command

from crawler.sources.locator import find_source
from tests import operator_commands
from workers.cli import main
from workers.cli.app import app

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "deploy" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
PROGRAMS = Path(sys.executable).parent
BLOCK = re.compile(r"^( *)```sh\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
LABELS = {"sh", "text", "toml", "python", "json", "sql"}
REMOTE = ("pypi:", "git+", "https://", "ssh://")
FILES = {
    "src/a.cuh": "template <typename T> __global__ void saxpy_kernel(T* y, const T* x, T a) { y[0] += a * x[0]; }\n",
    "src/a.cu": """#include "a.cuh"
        __global__ void fill(float* x) { x[threadIdx.x] = 1; }
        void run(float* y, const float* x) { saxpy_kernel<float><<<1, 32>>>(y, x, 2.0f); }
    """,
    "kernel.cu": "__global__ void k(float* x) { x[threadIdx.x] = __ldg(x); }\n",
    "setup.py": "",
    "results.jsonl": '{"filename": "softmax.py", "predict": "import triton"}\n',
    "results_mem.json": '{"softmax.py": {"pass_call": false, "call_err_msg": "no GPU"}}',
    "labelled.json": "[]",
    # test_judge_candidates.py has real ones
    "answers.jsonl": "",
    "candidates/README.txt": "",
    "tests/tests.json": "{}",
    "prompts/retry.md": "$messages",
}


def list_documented() -> Iterator[str]:
    for document in DOCUMENTS:
        for _, block in BLOCK.findall(document.read_text()):
            yield from textwrap.dedent(block).splitlines()


def examples(command: Any) -> Iterator[str]:
    for subcommand in getattr(command, "commands", {}).values():
        yield from examples(subcommand)
    for line in str(getattr(command, "epilog", "")).splitlines():
        if line.startswith("  "):
            yield line.strip()


COMMANDS = sorted(
    {
        line
        for line in (*list_documented(), *examples(get_command(app)))
        if line and not line.startswith("#")
    }
)


@pytest.fixture(scope="module")
def elsewhere(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder in which the files stand that the examples name."""
    folder = tmp_path_factory.mktemp("elsewhere")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "build").mkdir()
    entry = {
        "directory": str(folder),
        "file": "src/a.cu",
        "arguments": ["nvcc", "-c", "src/a.cu"],
    }
    (folder / "build" / "compile_commands.json").write_text(json.dumps([entry]))
    for name in ("my/project", "project"):
        shutil.copytree(project, folder / name)
    return folder


@pytest.fixture
def here(
    elsewhere: Path,
    crawled_home: tuple[Kernelset, str],
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """Stand there, as the user whose crawl is done."""
    monkeypatch.chdir(elsewhere)
    for name in [
        variable
        for variable in os.environ
        if variable.startswith(("KERNELSET_", "GIT_"))
    ]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("KERNELSET_HOME", str(crawled_home[0].home))
    monkeypatch.setenv("HOME", str(elsewhere))
    monkeypatch.setenv("PATH", f"{PROGRAMS}:{os.environ['PATH']}")
    return elsewhere


@pytest.mark.apt
@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_that_is_shown_works(
    here: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    words = set_variables(shlex.split(line, comments=True), monkeypatch)
    if not words:
        return
    program, *arguments = words
    if {"|", ">"} & set(arguments):
        assert shell(line) in (0, 4)
    elif Path(program).name == "kernelset":
        ours(here, arguments, monkeypatch)
    elif program == "make":
        subprocess.run(
            ["make", "--dry-run", "--directory", ROOT, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    elif program.startswith(".venv/bin/"):
        subprocess.run(
            [PROGRAMS / Path(program).name, "--help"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    elif program == "git":
        assert shell(line) == 0
    else:
        for inner in operator_commands.check(program, arguments):
            parse(inner)


def set_variables(words: list[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Set the variables that stand before a command, or are exported, and return the rest."""
    rest = words[1:] if words[0] == "export" else words
    while rest and "=" in rest[0]:
        monkeypatch.setenv(*rest.pop(0).split("=", 1))
    return rest


def shell(line: str) -> int:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line], stdout=subprocess.DEVNULL, check=False
    ).returncode


def ours(here: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run it; a crawl is only listed, and where that needs a network only its words are looked
    at.
    """
    locators = [word for word in arguments if word.startswith(REMOTE)]
    if locators:
        assert all(map(find_source, locators))
        parse(arguments)
        return
    if (
        arguments[0] in ("worker", "dispatch", "web", "bundle", "test")
        or "migrate" in arguments
    ):
        # they would serve for ever, or want what a GPU gave, servers or PyTorch: test_cluster.py,
        # test_validate_device.py, test_moving.py and test_project_tests_command.py have those
        parse(arguments)
        return
    if arguments[0] == "validate":
        call(
            ["extract", "--input-file", "src/a.cuh", "--output-dir", "out"], monkeypatch
        )
    if "--imported" in arguments:
        call(["import", "tritonbench", "results.jsonl"], monkeypatch)
    if "--since" in arguments:
        call([*arguments[:2], "2026-06", "--release", "2026-06"], monkeypatch)
    # test_complete.py has a model to ask
    dry = ["--dry-run"] if arguments[0] in ("crawl", "complete") else []
    assert call([*arguments, *dry], monkeypatch) in (0, 4)


def parse(arguments: list[str]) -> None:
    command: Any = get_command(app)
    context, rest = command.make_context("kernelset", list(arguments)), list(arguments)
    while hasattr(command, "resolve_command"):
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, list(rest), parent=context)


def call(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(sys, "argv", ["kernelset", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_every_block_says_what_it_is() -> None:
    for document in DOCUMENTS:
        labels = re.findall(r"^ *```(.*)$", document.read_text(), re.MULTILINE)[::2]
        assert set(labels) <= LABELS, document.name
    assert len(COMMANDS) > 30


def test_a_wrong_word_would_be_found() -> None:
    with pytest.raises(Exception, match="No such option"):
        parse(["crawl", "pypi:mmcv", "--tragets", "gfx90a"])


def read_closing_table(page: str) -> list[str]:
    """Return the lines of the first table of text below the words that lead to it."""
    table = re.search(
        r"table.*?```text\n(.*?)```", (ROOT / page).read_text(), re.DOTALL
    )
    assert table
    return table[1].splitlines()


@pytest.mark.apt
def test_the_first_crawl_shows_the_rows_of_the_closing_table(
    crawled_home: tuple[Kernelset, str],
) -> None:
    rows = {line.split("  ")[0] for line in read_closing_table("docs/first-crawl.md")}
    printed = {line.split("  ")[0] for line in crawled_home[1].splitlines()}
    # that page runs the kernels as well, which the shared crawl of the tests does not
    ran = {row for row in rows if row.endswith(" cpu")}
    assert rows - ran == printed - {"crawl", "not run yet"} | {"reasons"}


def test_the_readme_shows_rows_of_the_first_crawl() -> None:
    readme_rows = read_closing_table("README.md")
    assert len(readme_rows) > 5
    assert set(readme_rows) <= set(read_closing_table("docs/first-crawl.md"))


def test_the_first_crawl_explains_each_row_that_it_shows() -> None:
    page = (ROOT / "docs/first-crawl.md").read_text()
    explained = re.findall(r"^\| (`.*?) \| ", page, re.MULTILINE)
    names = {name for cell in explained for name in re.findall(r"`(.*?)`", cell)}
    for line in read_closing_table("docs/first-crawl.md"):
        row = re.sub(r"(for|,) (sm_80|gfx90a)$", r"\1 TARGET", line.split("  ")[0])
        assert row in names
