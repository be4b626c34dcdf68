"""A whole organisation: crawled to its end though it is killed twice, and the next time only
what changed.
"""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.servers.github.state import GitHub

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt
REPOSITORIES = 48
TOKEN = "ghp_ThisIsTheTokenThatNobodyMaySee"
PLAIN = {
    "main.cpp": "int main() { return 0; }\n",
    "README.md": "# nothing\n",
    "LICENSE": "MIT License\n",
}


def kernel(name: str, factor: int = 2) -> str:
    return f"__global__ void {name}(float* x) {{ x[threadIdx.x] *= {factor}; }}\n"


def populate(github: GitHub) -> None:
    for number in range(REPOSITORIES):
        files: dict[str, str | bytes] = {
            **PLAIN,
            f"src/f{number}.cpp": f"int f{number}();\n",
        }
        if number % 12 == 0:
            files |= {"wave.cu": kernel(f"wave{number}"), "tide.cuh": "#pragma once\n"}
        github.add("waves", f"r{number:03}", files)
    github.users = {TOKEN: "ann"}


def arguments(github: GitHub, folder: Path) -> tuple[str, ...]:
    tokens = folder / "tokens"
    tokens.write_text(TOKEN + "\n")
    tokens.chmod(0o600)
    toml = folder / "home" / "kernelset.toml"
    toml.parent.mkdir(exist_ok=True)
    toml.write_text(f'github = "{github.api}"\ngithub_tokens = "{tokens}"\n')
    return "crawl", "github:waves", "--targets", "sm_80"


def ended_tasks(kernelset: Kernelset, *, stage: str) -> int:
    (status,) = kernelset.rows("status")
    return sum(
        task["tasks"]
        for task in status["tasks"]
        if task["stage"] == stage and task["state"] in ("done", "rejected")
    )


def command_lines(parent: int) -> list[str]:
    """What `ps` would show of the crawl's processes."""
    lines = []
    for process in psutil.Process(parent).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            lines.append(" ".join(process.cmdline()))
    return lines


def stages(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def crawl_and_kill(
    kernelset: Kernelset, crawl: tuple[str, ...], *, cloned: int
) -> tuple[list[str], list[str]]:
    """Kill a crawl once so many repositories are cloned; returns what it printed, and what `ps`
    would have shown.
    """
    commands: list[str] = []
    run = kernelset.start(*crawl)
    deadline = time.monotonic() + 120
    while (
        ended_tasks(kernelset, stage="clone") < cloned
        and run.poll() is None
        and time.monotonic() < deadline
    ):
        commands += command_lines(run.pid)
        time.sleep(1)
    run.kill()
    return list(run.communicate()), commands


def change(github: GitHub) -> None:
    """Push to three repositories, of which one has no kernel still, and take a fourth away."""
    by_name = {
        repository.name: repository for repository in github.repositories.values()
    }
    github.push(by_name["r012"], {"wave.cu": kernel("wave12", factor=3)})
    github.push(by_name["r013"], {"new.cu": kernel("new13")})
    github.push(by_name["r014"], {"main.cpp": "int main() { return 1; }\n"})
    github.remove(by_name["r047"])


def files_with_token(home: Path) -> list[Path]:
    stored_files = [
        path for path in home.rglob("*") if path.is_file() and path.name != "tokens"
    ]
    return [path for path in stored_files if TOKEN.encode() in path.read_bytes()]


def opt_out(kernelset: Kernelset, locator: str) -> None:
    (kernelset.home / "optouts").write_text(f"{locator}  # asked for it\n")
    with (kernelset.home / "kernelset.toml").open("a") as toml:
        toml.write(f'optouts = "{kernelset.home / "optouts"}"\n')


def test_an_organisation_is_crawled_though_killed_and_later_only_what_changed(
    kernelset: Kernelset, github: GitHub, tmp_path: Path
) -> None:
    populate(github)
    crawl = arguments(github, tmp_path)
    printed: list[str] = []
    for cloned in (8, 24):
        outputs, commands = crawl_and_kill(kernelset, crawl, cloned=cloned)
        printed += [*outputs, *commands]
    printed.append(kernelset.run(*crawl).stderr)
    assert sorted(row["name"] for row in kernelset.rows("query")) == [
        f"wave{number}" for number in (0, 12, 24, 36)
    ]
    (status,) = kernelset.rows("status")
    assert 0 < status["downloaded"] < status["weight"] == REPOSITORIES * 12 << 10
    assert {
        (task["state"], task["code"])
        for task in status["tasks"]
        if task["stage"] == "clone"
    } == {
        ("done", ""),
        ("rejected", "no-kernels"),
    }
    kernelset.sound()

    change(github)
    charged = github.charged
    again = kernelset.run(*crawl)
    printed.append(again.stderr)
    assert github.charged - charged <= 1 + 1 + 3
    events = stages(again.stderr)
    touched = {
        (event["stage"], event["subject"].split()[0])
        for event in events
        if event.get("stage") in ("clone", "extract")
    }
    assert touched == {
        ("clone", "waves/r012"),
        ("clone", "waves/r013"),
        ("clone", "waves/r014"),
        ("extract", "waves/r012"),
        ("extract", "waves/r013"),
    }
    (gone,) = kernelset.rows("repositories", "waves", "--state", "vanished")
    assert gone["repo"]["name"] == "r047"

    opt_out(kernelset, "github:waves/r012")
    printed.append(kernelset.run("refresh").stderr)
    (left_out,) = kernelset.rows("repositories", "--state", "passed-over")
    assert (left_out["repo"]["name"], left_out["reason"]) == ("r012", "opted-out")
    kernelset.run("export", "kernels", tmp_path / "all.jsonl", "--licence", "any")
    exported = {
        json.loads(line)["name"]
        for line in (tmp_path / "all.jsonl").read_text().splitlines()
    }
    assert exported == {"wave0", "wave24", "wave36", "new13"}

    printed.append(kernelset.run("config", "show").stdout)
    assert TOKEN not in "".join(printed)
    assert files_with_token(kernelset.home) == []
