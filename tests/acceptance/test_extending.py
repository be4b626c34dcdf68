"""A stranger who follows `docs/extending.md` adds one file, and everything else finds it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text()
EXAMPLE = re.compile(r"^```python\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = {Path(path): text for path, text in EXAMPLE.findall(PAGE)}
SUITES = {
    "crawler/sources/providers": "test_sources.py",
    "crawler/builds/systems": "test_build_systems.py",
    "crawler/port/passes": "test_port_rules.py",
    "crawler/validate/compilers": "test_validators.py",
    "crawler/validate/oracles": "test_oracles.py",
    "crawler/validate/suites/kinds": "test_suite_kinds.py",
    "crawler/libraries/known": "test_libraries.py",
    "crawler/dataset/exporters": "test_exporters.py",
    "crawler/dataset/views": "test_views.py",
    "crawler/reviews/forms": "test_review_forms.py",
    "crawler/sources/dependencies/declarers": "test_dependency_declarers.py",
    "crawler/sandbox/backends": "test_sandboxes.py",
}
"""The contract suite of each folder of plugins."""
WITH_EXAMPLE = {
    "crawler/builds/systems",
    "crawler/port/passes",
    "crawler/validate/oracles",
    "crawler/dataset/exporters",
    "crawler/dataset/views",
}
# the shared fixtures import all three packages, and ask deploy/bootstrap what is installed
COPIED = ("crawler", "storage", "workers", "tests", "deploy", "pyproject.toml")

LIST_NAMES = """
import sys
from crawler.plugins import load_plugins
print(*(plugin.name for plugin in load_plugins(sys.argv[1])))
"""
EXPORT = """
from workers.cli import main
try:
    main()
except SystemExit as ended:
    # there are no kernels to export
    assert ended.code == 4, ended.code
"""
ASK_THE_ORACLE = """
from crawler.model import BufferRole, Case, CaseBuffer, CaseKind, Suite
from crawler.validate.oracles.recorded_digests import PLUGIN
from crawler.validate.values.blobs import Blobs
from tests.plain import plain_kernel, plain_unit

blobs = Blobs()
unit = plain_unit("")
cases, lines = [], []
for name in ("one", "two", "three"):
    digest = blobs.put(name.encode())
    buffer = CaseBuffer(
        name="x", element="int", element_size=4, size=4, role=BufferRole.OUT, gold=digest
    )
    kind, once = CaseKind.ORDINARY, (1, 1, 1)
    cases.append(Case(name=name, kind=kind, grid=once, block=once, buffers=(buffer,)))
    lines.append(f"{digest}  k/{name}/x")
suite = Suite(unit=unit.digest, seed=0, cases=tuple(cases))
for text in ("\\n".join(lines), "\\n".join(lines).replace("k/three", "k/four"), "0  k/one/x"):
    files = {"a.cu.sha256": text}
    agreement = PLUGIN.find_agreement(plain_kernel(unit), unit, suite, blobs, files.get)
    print(agreement.is_conclusive, *agreement.agreeing_cases, *agreement.differing_cases)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a copy of the repository, with the examples of the page written into it."""
    folder = tmp_path_factory.mktemp("copy")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name,
                folder / name,
                ignore=shutil.ignore_patterns("__pycache__", "secrets.d"),
            )
        else:
            shutil.copy(ROOT / name, folder / name)
    for path, text in EXAMPLES.items():
        assert not (folder / path).exists(), f"{path} is a plugin already"
        (folder / path).write_text(text)
    return folder


@pytest.fixture(scope="module")
def contract_tests(copy: Path) -> list[str]:
    """Return the contract tests of an example, and those of all plugins of its folder."""
    suites = sorted(set(map(contract_suite, EXAMPLES)))
    collected = run_pytest(copy, "--collect-only", *suites).splitlines()
    names = [line for line in collected if "::" in line]
    return [
        name
        for name in names
        if "[" not in name or any(is_about(name, path) for path in EXAMPLES)
    ]


@pytest.fixture(scope="module")
def passed_tests(copy: Path, contract_tests: list[str]) -> set[str]:
    """Return those of `contract_tests` that passed on the copy."""
    printed = run_pytest(copy, "-rA", *contract_tests)
    return {
        line.removeprefix("PASSED ")
        for line in printed.splitlines()
        if line.startswith("PASSED ")
    }


def contract_suite(path: Path) -> str:
    return f"tests/contract/{SUITES[path.parent.as_posix()]}"


def is_about(name: str, path: Path) -> bool:
    """Tell whether a test is one of the suite of an example that has its name."""
    return name.startswith(contract_suite(path)) and path.stem in name.partition("[")[2]


def run_python(copy: Path, *arguments: str) -> str:
    """Run Python on the copy alone, and return what it prints."""
    ended = subprocess.run(
        [sys.executable, *arguments],
        cwd=copy,
        env={
            **os.environ,
            "PYTHONPATH": str(copy),
            "PYTEST_ADDOPTS": "",
            # they take seconds to load
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def run_pytest(copy: Path, *arguments: str) -> str:
    plugins = ("-p", "pytest_timeout", "-p", "no:cacheprovider")
    return run_python(copy, "-m", "pytest", "-q", *plugins, *arguments)


def test_the_page_names_every_folder_of_plugins() -> None:
    calls = re.compile(r'"(crawler(?:\.\w+)+)"')
    loaded: set[str] = set()
    for path in sorted((ROOT / "crawler").rglob("*.py")):
        text = path.read_text()
        if "load_plugins" in text:
            loaded.update(name.replace(".", "/") for name in calls.findall(text))
    assert loaded == SUITES.keys()
    for folder, suite in SUITES.items():
        assert (ROOT / folder).is_dir()
        assert f"`{folder}/`" in PAGE
        assert f"`tests/contract/{suite}`" in PAGE


def test_the_page_has_an_example_for_each_folder_that_it_promises_one_for() -> None:
    assert sorted(path.parent.as_posix() for path in EXAMPLES) == sorted(WITH_EXAMPLE)
    # a block without a path would be tried by nobody
    assert len(EXAMPLES) == PAGE.count("```python")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_found_by_its_name(copy: Path, path: Path) -> None:
    package = path.parent.as_posix().replace("/", ".")
    assert path.stem in run_python(copy, "-c", LIST_NAMES, package).split()


# whichever comes first runs the contracts of all examples
@pytest.mark.timeout(900)
@pytest.mark.apt
@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_passes_the_contract_of_its_folder(
    contract_tests: list[str], passed_tests: set[str], path: Path
) -> None:
    about_it = [name for name in contract_tests if is_about(name, path)]
    assert len(about_it) >= 4
    assert passed_tests.issuperset(about_it)


@pytest.mark.timeout(900)
@pytest.mark.apt
@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_said_of_all_plugins_of_a_folder_stays_true(
    contract_tests: list[str], passed_tests: set[str], path: Path
) -> None:
    suite = contract_suite(path)
    about_all = [
        name for name in contract_tests if name.startswith(suite) and "[" not in name
    ]
    assert about_all
    assert passed_tests.issuperset(about_all)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_written_as_the_repository_is(copy: Path, path: Path) -> None:
    run_python(copy, "-m", "ruff", "check", "--no-cache", str(path))
    run_python(copy, "-m", "ruff", "format", "--no-cache", "--check", str(path))


def test_the_example_of_an_oracle_compares_what_was_recorded(copy: Path) -> None:
    assert run_python(copy, "-c", ASK_THE_ORACLE).splitlines() == [
        "True one two three",
        "False one two",
        "False one",
    ]


def test_the_example_of_an_exporter_is_chosen_by_its_suffix(
    copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KERNELSET_HOME", str(tmp_path / "home"))
    destination = tmp_path / "kernels.csv"
    for _ in ("a new file", "a file of ours that is replaced"):
        run_python(copy, "-c", EXPORT, "export", "kernels", str(destination))
        assert destination.read_text().startswith("kernelset.kernel/1,id,digest,")
