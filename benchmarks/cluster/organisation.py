"""Crawl an organisation on loopback, killed twice, then changed; and count the bytes fetched.

python -m benchmarks organisation [--repositories N] [--sources DIR] [--git DIR]… [--results
FILE]

Of --sources, the CUDA files below it are dealt out to those repositories that have kernels, in
place of made-up ones.
Of --git, DIR is a git directory, such as a mirror: what a full clone and what a fetch bring of
it are compared.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks import report
from benchmarks.arguments import add_results
from crawler.errors import NoKernels
from crawler.sources.options import SourceOptions
from crawler.sources.providers.github import PLUGIN
from tests.servers.github.server import serving
from tests.servers.github.state import GIT, GitHub

PROGRAM = Path(sys.executable).parent / "kernelset"
KERNEL = "__global__ void wave%d(float* x) { x[threadIdx.x] *= %d; }\n"
REPOSITORIES_PER_KERNEL = 60
"""Of so many repositories one has kernels."""


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parse_arguments(argv)
    lines = [
        *_compare_bytes(arguments.git),
        *_measure_crawls(arguments.repositories, arguments.sources),
    ]
    print("\n".join(lines))
    if arguments.results:
        report.write_report(
            arguments.results,
            "An organisation, and bytes",
            ["python", "-m", "benchmarks", "organisation"],
            lines,
        )
    return 0


def _compare_bytes(folders: Sequence[Path]) -> Iterator[str]:
    """Yield a table of what a full clone and what a fetch bring."""
    with _serve_github() as github:
        repository = _make_repository(github)
        rows = [
            _measure_fetch(
                github, "made", repository, github.root / f"{repository}.git/objects"
            )
        ]
        rows += [
            _measure_fetch(
                github,
                _get_repository_name(folder),
                _serve_repository(github, folder),
                folder / "objects",
            )
            for folder in folders
        ]
    yield "## Bytes that git sends"
    yield ""
    yield from report.format_table(
        ["repository", "full clone, MB", "fetched, MB", "share"], rows
    )
    yield ""
    yield (
        "`made` has 110 MB of noise beside one small kernel, the others are real. A "
        "full clone is what the"
    )
    yield "objects weigh."
    yield ""


def _make_repository(github: GitHub) -> str:
    noise = {f"assets/{number}.bin": os.urandom(10 << 20) for number in range(11)}
    github.add(
        "made",
        "repository",
        {
            **noise,
            "src/wave.cu": KERNEL % (1, 1),
            "CMakeLists.txt": "project(waves CUDA)\n",
        },
    )
    return "made/repository"


def _serve_repository(github: GitHub, folder: Path) -> str:
    repository = github.add("real", _get_repository_name(folder))
    target = github.root / "real" / f"{repository.name}.git"
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["git", "clone", "--quiet", "--bare", "--shared", folder, target],
        env=GIT,
        check=True,
    )
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        subprocess.run(
            ["git", "-C", target, "config", name, "true"], env=GIT, check=True
        )
    return f"real/{repository.name}"


def _get_repository_name(folder: Path) -> str:
    return (
        folder.parent.name.replace("+", "-")
        if folder.name in ("repo", ".git")
        else folder.name
    )


def _measure_fetch(
    github: GitHub, name: str, full: str, objects: Path
) -> tuple[str, str, str, str]:
    whole = sum(path.stat().st_size for path in objects.rglob("*") if path.is_file())
    with tempfile.TemporaryDirectory() as scratch:
        github.sent = 0
        folder = Path(scratch, "out")
        folder.mkdir()
        terms = SourceOptions(github=github.api)
        (repo,) = PLUGIN.list(f"github:{full}", terms)
        try:
            PLUGIN.fetch(repo, folder, terms)
        except NoKernels:
            name += " (no kernels)"
    return (
        name,
        f"{whole / 1e6:.1f}",
        f"{github.sent / 1e6:.2f}",
        f"{100 * github.sent / whole:.1f} %",
    )


def _measure_crawls(number: int, sources: Path | None) -> Iterator[str]:
    texts = (
        [path.read_bytes() for path in sorted(sources.rglob("*.cu"))] if sources else []
    )
    with _serve_github() as github, tempfile.TemporaryDirectory() as home:
        for index in range(number):
            files: dict[str, str | bytes] = {
                "main.cpp": f"int main() {{ return {index}; }}\n",
                "README.md": "x\n",
            }
            if index % REPOSITORIES_PER_KERNEL == 0:
                files["wave.cu"] = (
                    texts[index // REPOSITORIES_PER_KERNEL % len(texts)]
                    if texts
                    else KERNEL % (index, 2)
                )
            github.add("waves", f"r{index:04}", files)
        rows = [_run_crawl(github, home, "killed after a quarter", number // 4)]
        rows.append(_run_crawl(github, home, "killed after a half", number // 2))
        rows.append(_run_crawl(github, home, "to its end", 0))
        rows.append(_run_crawl(github, home, "again, nothing changed", 0))
        for repository in list(github.repositories.values())[:3]:
            github.push(repository, {"new.cu": KERNEL % (repository.id, 3)})
        rows.append(_run_crawl(github, home, "again, 3 changed", 0))
    yield (
        f"## An organisation of {number} repositories, one in {REPOSITORIES_PER_KERNEL} "
        "with a kernel"
    )
    yield ""
    columns = [
        "crawl",
        "seconds",
        "requests that count",
        "repositories fetched",
        "files parsed",
        "MB by git",
    ]
    yield from report.format_table(columns, rows)


def _run_crawl(
    github: GitHub, home: str, name: str, enough: int
) -> tuple[str, str, int, int, int, str]:
    charged, sent, began = github.charged, github.sent, time.monotonic()
    environment = {**os.environ, "KERNELSET_HOME": home, "KERNELSET_GITHUB": github.api}
    before = _count_ended_tasks(home)
    run = subprocess.Popen(
        [PROGRAM, "crawl", "github:waves", "--targets", "sm_80"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while enough and run.poll() is None and _count_ended_tasks(home)[0] < enough:
        time.sleep(0.5)
    if enough:
        run.kill()
    run.wait()
    clones, parsed = (
        now - then for now, then in zip(_count_ended_tasks(home), before, strict=True)
    )
    seconds, megabytes = time.monotonic() - began, (github.sent - sent) / 1e6
    return (
        name,
        f"{seconds:.1f}",
        github.charged - charged,
        clones,
        parsed,
        f"{megabytes:.2f}",
    )


def _count_ended_tasks(home: str) -> tuple[int, int]:
    """Return how many repositories were fetched, and how many batches of files parsed."""
    import sqlite3

    database = Path(home, "kernelset.db")
    if not database.is_file():
        return 0, 0
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        statement = "SELECT count(*) FROM task WHERE stage = ? AND state IN ('done', 'rejected')"
        if not connection.execute(
            "SELECT 1 FROM sqlite_master WHERE name = 'task'"
        ).fetchone():
            return 0, 0
        counts = [
            connection.execute(statement, (stage,)).fetchone()[0]
            for stage in ("clone", "extract")
        ]
    connection.close()
    return counts[0], counts[1]


@contextmanager
def _serve_github() -> Iterator[GitHub]:
    folder = Path(tempfile.mkdtemp())
    try:
        with serving(folder) as github:
            yield github
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repositories", type=int, default=300)
    parser.add_argument("--sources", type=Path)
    parser.add_argument("--git", type=Path, action="append", default=[])
    add_results(parser)
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
