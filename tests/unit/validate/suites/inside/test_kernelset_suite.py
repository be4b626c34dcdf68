"""The plugin by which a project's tests run, in a real pytest: what it writes down of each test,
whatever that does. The library in which kernels run only notes what it is told, and PyTorch is a
module that notes its seed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crawler.validate.suites.inside import __path__ as inside_path

pytestmark = pytest.mark.apt("gcc")
INSIDE = Path(next(iter(inside_path)))
LIBRARY = """
#include <stdio.h>
#include <stdlib.h>
static void note(const char *what, int number, const char *text) {
  FILE *file = fopen(getenv("NOTES"), "a");
  fprintf(file, "%s %d %s\\n", what, number, text);
  fclose(file);
}
void kernelset_begin_test(int number) { note("begin", number, ""); }
void kernelset_skip(int kernel, const char *arguments) { note("skip", kernel, arguments); }
void kernelset_spoil(int kernel, const char *arguments) { note("spoil", kernel, arguments); }
"""
TORCH = """
import random
def manual_seed(number):
    global seed
    seed = number
"""


class Suite:
    """A project with tests, and what came of running them under the plugin."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.collected: dict[str, Any] = {}
        self.modules = folder / "modules"
        self.modules.mkdir()
        shutil.copy(INSIDE / "kernelset_suite.py", self.modules)
        (self.modules / "torch.py").write_text(TORCH)
        (self.modules / "cuda_python.py").write_text("def install(): pass\n")
        (folder / "runtime.c").write_text(LIBRARY)
        command = ["gcc", "-shared", "-fPIC", "-o", "runtime.so", "runtime.c"]
        subprocess.run(command, cwd=folder, check=True)

    def run(self, text: str, **plan: Any) -> list[dict[str, Any]]:
        """Run a file of tests once, and return all records of tests and files."""
        project = self.folder / "project"
        project.mkdir(exist_ok=True)
        (project / "test_it.py").write_text(text)
        plan_file = self.folder / "plan.json"
        usual = {"changes": {}, "test_seconds": 20, "pause_seconds": 1000}
        plan_file.write_text(json.dumps({**usual, **plan}))
        self.records.unlink(missing_ok=True)
        self.notes.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "kernelset_suite"]
        command += ["-p", "no:cacheprovider", "--rootdir=."]
        library = str(self.folder / "runtime.so")
        subprocess.run(
            [*command, "-c", os.devnull, "."],
            cwd=project,
            env={
                **os.environ,
                "PYTHONPATH": str(self.modules),
                # what this project tests itself with takes seconds to load
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "KERNELSET_RUNTIME": library,
                "KERNELSET_TORCH_DEVICE": library,
                "KERNELSET_PLAN": str(plan_file),
                "KERNELSET_RECORDS": str(self.records),
                "NOTES": str(self.notes),
            },
            capture_output=True,
            check=False,
            timeout=120,
        )
        if not self.records.exists():
            return []
        records = list(map(json.loads, self.records.read_text().splitlines()))
        (self.collected,) = (each for each in records if each["outcome"] == "collected")
        records.remove(self.collected)
        return records

    def run_to_end(self, text: str, **plan: Any) -> list[dict[str, Any]]:
        """Return the records of tests that ended."""
        records = self.run(text, **plan)
        return [record for record in records if record["outcome"] != "begun"]

    @property
    def records(self) -> Path:
        return self.folder / "records"

    @property
    def notes(self) -> Path:
        return self.folder / "notes"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    return Suite(tmp_path_factory.mktemp("suite"))


def test_each_test_has_its_outcome_and_number(suite: Suite) -> None:
    records = suite.run_to_end(
        "import pytest\n"
        "def test_good(): pass\n"
        "def test_bad(): assert 1 == 2\n"
        "def test_left_out(): pytest.skip('no time')\n"
        "@pytest.fixture\n"
        "def broken(): raise OSError('no disk')\n"
        "def test_unready(broken): pass\n"
    )
    outcomes = [
        (record["number"], record["test"].rpartition(":")[2], record["outcome"])
        for record in records
    ]
    assert outcomes == [
        (1, "test_good", "passed"),
        (2, "test_bad", "failed"),
        (3, "test_left_out", "skipped"),
        (4, "test_unready", "failed"),
    ]
    assert "assert 1 == 2" in records[1]["message"]
    assert "no disk" in records[3]["message"]
    assert all(record["seconds"] >= 0 for record in records)


def test_what_fails_when_it_is_torn_down_has_failed(suite: Suite) -> None:
    (record,) = suite.run_to_end(
        "import pytest\n"
        "@pytest.fixture\n"
        "def place():\n    yield 1\n    raise OSError('left behind')\n"
        "def test_it(place): pass\n"
    )
    assert record["outcome"] == "failed"
    assert "left behind" in record["message"]


def test_what_failed_first_is_why(suite: Suite) -> None:
    (record,) = suite.run_to_end(
        "import pytest\n"
        "@pytest.fixture\n"
        "def place():\n    yield 1\n    raise OSError('second')\n"
        "def test_it(place): raise OSError('first')\n"
    )
    assert "first" in record["message"]
    assert "second" not in record["message"]


def test_a_test_that_ends_the_process_has_begun(suite: Suite) -> None:
    records = suite.run(
        "import os\n"
        "def test_before(): pass\n"
        "def test_crash(): os.abort()\n"
        "def test_after(): pass\n"
    )
    assert [(record["number"], record["outcome"]) for record in records] == [
        (1, "begun"),
        (1, "passed"),
        (2, "begun"),
    ]


def test_a_test_that_waits_without_end_ends_with_its_process(suite: Suite) -> None:
    records = suite.run(
        "import signal, threading\n"
        # a handler of the project's own would see nothing of it
        "signal.signal(signal.SIGALRM, lambda *_: None)\n"
        "def test_endless(): threading.Event().wait()\n",
        test_seconds=1,
    )
    assert [record["outcome"] for record in records] == ["begun"]


def test_a_test_that_computes_without_end_ends_with_its_process(suite: Suite) -> None:
    (record,) = suite.run("def test_endless():\n    while True: pass\n", test_seconds=1)

    assert (record["test"], record["outcome"]) == ("test_it.py::test_endless", "begun")


def test_a_file_that_cannot_be_read_is_told_of(suite: Suite) -> None:
    (record,) = suite.run("import no_such_module_anywhere\ndef test_it(): pass\n")
    assert (record["number"], record["outcome"]) == (0, "uncollected")
    assert "no_such_module_anywhere" in record["message"]


def test_only_tests_of_the_plan_are_run_and_keep_their_numbers(suite: Suite) -> None:
    tests = "".join(f"def test_{number}(): pass\n" for number in range(1, 6))
    planned = suite.run_to_end(tests, tests=[2, 4, 5])
    assert [record["number"] for record in planned] == [2, 4, 5]
    assert planned[0]["test"].endswith("::test_2")
    resumed = suite.run_to_end(tests, tests=[2, 4, 5], first=4)
    assert [record["number"] for record in resumed] == [4, 5]
    assert len(suite.run_to_end(tests, first=3)) == 3


def test_a_process_that_took_long_leaves_the_rest_to_the_next(suite: Suite) -> None:
    tests = "".join(f"def test_{number}(): pass\n" for number in range(1, 6))
    records = suite.run(tests, pause_seconds=0, first=2)
    assert [(record["number"], record["outcome"]) for record in records] == [
        (2, "begun"),
        (2, "passed"),
        (3, "paused"),
    ]
    assert suite.collected["number"] == 5


def test_a_test_is_run_once_for_each_change_and_then_plain(suite: Suite) -> None:
    changes = [["skip", 3, "[T = float]"], ["spoil", 3, "[T = float]"]]
    records = suite.run_to_end(
        "def test_one(): pass\ndef test_two(): pass\n", changes={"2": changes}
    )
    assert [(record["number"], record["change"]) for record in records] == [
        (1, None),
        (2, changes[0]),
        (2, changes[1]),
        (2, None),
    ]


def test_a_change_ends_with_its_test(suite: Suite) -> None:
    suite.run("def test_one(): pass\n", changes={"1": [["skip", 3, "[T = int]"]]})
    notes = suite.notes.read_text().splitlines()
    changed = notes.index("skip 3 [T = int]")
    assert notes[changed + 1 : changed + 3] == ["spoil -1 [T = int]", "begin 1 "]
    # outside of tests nothing counts as launched by one, and nothing is changed
    assert notes[changed + 3 : changed + 6] == ["begin 0 ", "skip -1 ", "spoil -1 "]
    assert notes[-3:] == ["begin 0 ", "skip -1 ", "spoil -1 "]


def test_a_test_that_notices_a_change_fails_and_passes_plain(suite: Suite) -> None:
    records = suite.run_to_end(
        "import os\n"
        "def test_it():\n"
        "    lines = open(os.environ['NOTES']).read().splitlines()\n"
        "    skips = [line for line in lines if line.startswith('skip')]\n"
        "    assert skips[-1].startswith('skip -1')\n",
        changes={"1": [["skip", 0, ""], ["spoil", 0, ""]]},
    )
    assert [record["outcome"] for record in records] == ["failed", "passed", "passed"]


def test_every_run_of_a_test_draws_the_same_numbers(suite: Suite) -> None:
    records = suite.run_to_end(
        "import random, torch\n"
        "drawn = []\n"
        "def test_one():\n"
        "    assert torch.seed == 0\n"
        "    drawn.append(random.random())\n"
        "    torch.seed = 1\n"
        "    assert len(set(drawn)) == 1\n",
        changes={"1": [["skip", 0, ""], ["spoil", 0, ""]]},
    )
    assert [record["outcome"] for record in records] == ["passed"] * 3


def test_a_message_is_its_end(suite: Suite) -> None:
    (record,) = suite.run_to_end(
        "def test_it(): raise ValueError('x' * 100_000 + 'why')\n"
    )
    assert len(record["message"]) <= 2000
    assert "why" in record["message"]
