"""Build a project inside the sandbox, and list its tests; only the standard library is here.

It reads a plan, and leaves the log, the tests and all that was built in the folder of results.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

_LOG: Final = "build.log"
_TESTS: Final = "tests.json"
_TREE: Final = "tree.tar"
_LIST_SECONDS: Final = 60
_MAX_BINARIES: Final = 500
_MAX_TESTS: Final = 20_000
_MAX_ARGUMENT_LENGTH: Final = 2000
_ELF: Final = b"\x7fELF"
_PLAIN_PROPERTIES: Final = frozenset(
    {
        *("WORKING_DIRECTORY", "ENVIRONMENT", "TIMEOUT", "LABELS", "COST"),
        *("PROCESSORS", "RUN_SERIAL", "_BACKTRACE_TRIPLES"),
    }
)
"""Properties of CTest's tests under which the exit code says what came of one."""
_RUNTIME: Final = b"libkernelset.so"
_GOOGLETEST_WORDS: Final = (b"gtest_list_tests", b"libgtest")


def main(results: Path) -> None:
    """Carry out the plan that lies in `results`."""
    plan = json.loads((results / "plan.json").read_text())
    deadline = time.monotonic() + plan["seconds"]
    with (results / _LOG).open("w") as log:
        # a later step is tried whatever an earlier one did: a part of the project may be built
        for step in plan["steps"]:
            _run_step(step, deadline, log)
        for step in _list_building_tests(plan["ctest_folder"]):
            _run_step(step, deadline, log)

    folders = [Path(folder) for folder in plan["folders"]]
    tests = _list_tests(folders, plan)
    (results / _TESTS).write_text(json.dumps(tests[:_MAX_TESTS]))
    # modes, links and times stay as they are
    # times by the nanosecond, too: a build's tool would take all that is cut off for new
    words = ["tar", "--format=posix", "-cf", str(results / _TREE), "--exclude=.git"]
    words += plan["folders"]
    subprocess.run(words, check=False, stderr=subprocess.DEVNULL)


def _list_building_tests(folder: str) -> list[dict[str, Any]]:
    """Return the tests of CTest that build what others run: `cmake --build … --target filled`.

    What is built by now has its kernels known, and is not built anew in each run of the tests.
    """
    commands = [test.get("command") or [""] for test in _read_ctest(folder)]
    return [
        {"command": command, "directory": folder}
        for command in commands
        if Path(command[0]).name == "cmake" and "--build" in command
    ]


def _run_step(step: dict[str, Any], deadline: float, log: Any) -> None:
    log.write(f"$ {' '.join(step['command'])}\n")
    log.flush()
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        return

    try:
        process = subprocess.Popen(
            step["command"],
            cwd=step["directory"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        log.write(f"{error}\n")
        return

    try:
        log.write(f"exit code {process.wait(max(1, seconds))}\n")
    except subprocess.TimeoutExpired:
        # what it has started, too
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        log.write(f"error: it took over {seconds:.0f} seconds\n")
    log.flush()


def _list_tests(folders: list[Path], plan: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the tests of a built project.

    They are those that CTest or Meson declares, those of GoogleTest one by one, and those of any
    other program of GoogleTest. Without any of them `make check` is one; without such a rule
    each program with kernels is one.
    """
    ctest_folder, check_command = plan["ctest_folder"], plan["check_command"]
    declarations = _read_ctest(ctest_folder) or _read_meson(plan["meson_command"])
    tests: list[dict[str, Any]] = []
    listed_programs: set[Path] = set()
    for number, test in enumerate(declarations, start=1):
        command = test.get("command") or [""]
        listed_programs.add(Path(command[0]))
        tests += _expand_ctest(test, command, number, ctest_folder)

    for program in _list_programs(folders):
        if program not in listed_programs and _is_googletest(program):
            directory = str(program.parent)
            for name in _list_googletest(program, directory):
                tests.append(_describe_googletest(program, name, directory, {}))

    if not tests and check_command:
        # behind `make -C FOLDER`
        name = f"make {check_command[3]}"
        tests.append(_describe_program(name, check_command, folders[0]))
    return tests or list(_list_device_programs(folders))


def _list_device_programs(folders: list[Path]) -> Iterator[dict[str, Any]]:
    """Yield each program with the CPU model's runtime, but those that CMake tried out."""
    for top in folders:
        for program in _list_programs([top]):
            is_trial = "CMakeFiles" in program.parts
            if not is_trial and _RUNTIME in _read_program(program):
                name = str(program.relative_to(top))
                yield _describe_program(name, [str(program)], program.parent)


def _expand_ctest(
    test: dict[str, Any], command: list[str], number: int, folder: str
) -> list[dict[str, Any]]:
    """Return a test of CTest as it can be run without it, and as several where it is all of a
    program of GoogleTest; CTest itself runs it where its outcome is not the exit code's.
    """
    program = Path(command[0])
    entries = test.get("properties", [])
    properties = {entry["name"]: entry["value"] for entry in entries}
    directory = properties.get("WORKING_DIRECTORY", folder)
    pairs = (word.partition("=") for word in properties.get("ENVIRONMENT", []))
    variables = {name: value for name, _, value in pairs}
    is_googletest = _is_googletest(program)
    # whoever filters has named a test by itself
    if is_googletest and len(command) == 1:
        names = _list_googletest(program, directory)
        if names:
            return [
                _describe_googletest(program, name, directory, variables)
                for name in names
            ]

    # by which CTest sees what we read off GoogleTest ourselves
    special = set(properties) - (
        {"SKIP_REGULAR_EXPRESSION"} if is_googletest else set()
    )
    is_plain = _PLAIN_PROPERTIES.issuperset(special) and program.is_file()
    kind = "googletest" if is_googletest else "program"
    by_ctest = ["ctest", "-I", f"{number},{number}", "--output-on-failure"]
    return [
        {
            "name": str(test.get("name", ""))[:_MAX_ARGUMENT_LENGTH],
            "kind": kind if is_plain else "ctest",
            "command": command if is_plain else by_ctest,
            "directory": directory if is_plain else folder,
            "variables": variables if is_plain else {},
        }
    ]


def _read_ctest(folder: str) -> list[dict[str, Any]]:
    if not folder or not Path(folder).is_dir():
        return []
    output = _ask(["ctest", "--show-only=json-v1"], folder)
    try:
        content = json.loads(output)
        tests = content["tests"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return tests if isinstance(tests, list) else []


def _read_meson(command: list[str]) -> list[dict[str, Any]]:
    """Return Meson's tests in the form of CTest's; none where Meson has listed none."""
    if not command:
        return []

    folder = command[-1]
    tests: list[dict[str, Any]] = []
    try:
        for test in json.loads(_ask(command, folder)):
            variables = [f"{name}={value}" for name, value in test["env"].items()]
            properties = [
                {"name": "WORKING_DIRECTORY", "value": test["workdir"] or folder},
                {"name": "ENVIRONMENT", "value": variables},
            ]
            words = {"name": test["name"], "command": test["cmd"]}
            tests.append({**words, "properties": properties})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    return tests


def _describe_googletest(
    program: Path, name: str, directory: str, variables: dict[str, str]
) -> dict[str, Any]:
    return {
        "name": f"{program.name}::{name}",
        "kind": "googletest",
        "command": [str(program), f"--gtest_filter={name}"],
        "directory": directory,
        "variables": variables,
    }


def _describe_program(name: str, command: list[str], folder: Path) -> dict[str, Any]:
    return {
        "name": name[:_MAX_ARGUMENT_LENGTH],
        "kind": "program",
        "command": command,
        "directory": str(folder),
        "variables": {},
    }


def _read_program(program: Path) -> bytes:
    """Return the bytes of an executable; none for a script, an object or a library."""
    if program.suffix == ".o" or ".so" in program.suffixes:
        return b""
    try:
        content = program.read_bytes()
    except OSError:
        return b""
    return content if content.startswith(_ELF) else b""


def _list_programs(folders: list[Path]) -> list[Path]:
    programs: list[Path] = []
    for top in folders:
        for folder, _, names in sorted(os.walk(top)):
            for name in sorted(names):
                path = Path(folder, name)
                if not path.is_symlink() and os.access(path, os.X_OK):
                    programs.append(path)

    return programs[:_MAX_BINARIES]


def _is_googletest(program: Path) -> bool:
    """Tell whether a program was linked with GoogleTest."""
    content = _read_program(program)
    return any(word in content for word in _GOOGLETEST_WORDS)


def _list_googletest(program: Path, directory: str) -> list[str]:
    """Return the tests of a program: `Suite.Name`.

    Rule: GoogleTest, "Advanced Topics", "Listing Test Names".
    """
    names: list[str] = []
    suite = ""
    for line in _ask([str(program), "--gtest_list_tests"], directory).splitlines():
        # `  Name  # GetParam() = 3`
        word = line.partition("#")[0].strip()
        if not line.startswith(" "):
            suite = word if word.endswith(".") else ""
        elif suite and word and "DISABLED_" not in suite + word:
            names.append((suite + word)[:_MAX_ARGUMENT_LENGTH])

    return names


def _ask(command: list[str], directory: str) -> str:
    try:
        completed = subprocess.run(
            command,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIST_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return completed.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
