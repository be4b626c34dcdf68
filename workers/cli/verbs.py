"""The verbs of the command line: their functions, which are loaded when called, and examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the command line, or of a group."""

    name: str
    function: str
    """Module below `workers.cli`, and name: `crawls.crawl:crawl`."""
    examples: tuple[str, ...]
    """Command lines that its help shows."""


@dataclass(frozen=True, slots=True)
class Group:
    """Verbs behind a word of their own: `kernelset config show`."""

    name: str
    summary: str
    verbs: tuple[Verb, ...]


VERBS: Final = (
    Verb(
        "crawl",
        "crawls.crawl:crawl",
        (
            "kernelset crawl pypi:mmcv==2.2.0",
            "kernelset crawl ./my/project --targets gfx90a",
            "kernelset crawl git+https://example.org/team/kernels.git@v1.2 --dry-run",
        ),
    ),
    Verb(
        "query",
        "kernels.query:query",
        (
            "kernelset query",
            "kernelset query 'repo=mmcv and found_by=ast' --limit 20",
            "kernelset query --json | head -1",
        ),
    ),
    Verb(
        "show",
        "kernels.show:show",
        (
            "kernelset show roi_align_forward_cuda_kernel",
            "kernelset show 3f2a --depth full --json",
        ),
    ),
    Verb(
        "failures",
        "crawls.failures:failures",
        (
            "kernelset failures",
            "kernelset failures --json",
        ),
    ),
    Verb(
        "status",
        "crawls.status:status",
        (
            "kernelset status",
            "kernelset status --crawl 06646e6b3514 --watch",
        ),
    ),
    Verb(
        "crawls",
        "crawls.crawls:crawls",
        (
            "kernelset crawls",
            "kernelset crawls --json",
        ),
    ),
    Verb(
        "audit",
        "operations.audit:audit",
        (
            "kernelset audit",
            "kernelset audit --by ada --limit 20",
        ),
    ),
    Verb(
        "purge",
        "operations.purge:purge",
        (
            "kernelset purge --dry-run",
            "kernelset purge",
        ),
    ),
    Verb("refresh", "crawls.refresh:refresh", ("kernelset refresh",)),
    Verb(
        "repositories",
        "crawls.repositories:repositories",
        (
            "kernelset repositories ROCm",
            "kernelset repositories --state vanished --json",
        ),
    ),
    Verb(
        "retry",
        "crawls.retry:retry",
        (
            "kernelset retry",
            "kernelset retry --code network-down",
        ),
    ),
    Verb(
        "views",
        "exports.views:views",
        (
            "kernelset views",
            "kernelset views pairs > pairs.json",
        ),
    ),
    Verb(
        "export",
        "exports.export:export",
        (
            "kernelset export kernels kernels.jsonl",
            "kernelset export pairs pairs.parquet",
            "kernelset export kernels ./kernels --format tree --licence any",
            "kernelset export kernels kernels.jsonl --depth pure",
            "kernelset export debug debug_workspace --format folder --imported results",
        ),
    ),
    Verb(
        "judge",
        "kernels.judge:judge",
        (
            "kernelset judge answers.jsonl",
            "kernelset judge answers.jsonl --pass-at 1,5 --json",
            "kernelset judge candidates --tests tests --results judged.jsonl",
        ),
    ),
    Verb(
        "complete",
        "kernels.complete:complete",
        (
            "kernelset complete repair --dry-run",
            "kernelset complete repair 'repo=mmcv' --attempts 5 --tokens 200000",
        ),
    ),
    Verb(
        "extract",
        "files.extract:extract",
        (
            "kernelset extract --input-file src/a.cu --compile-db build --output-dir out",
            "kernelset extract --input-file src/a.cuh --output-dir out --with-headers",
            "kernelset extract --input-file src/a.cu --output-dir out --depth pure",
        ),
    ),
    Verb(
        "compile-db",
        "files.compile_db:compile_db",
        (
            "kernelset compile-db . --output build",
            "kernelset compile-db . --explain",
            "kernelset compile-db . --explain src/a.cuh",
            "kernelset compile-db . --strategy existing src/a.cu",
        ),
    ),
    Verb(
        "port",
        "files.port:port",
        (
            "kernelset port kernel.cu > kernel.hip",
            "kernelset port kernel.cu --diff",
            "kernelset port ./project --output ./project-hip",
        ),
    ),
    Verb(
        "validate",
        "files.validate:validate",
        (
            "kernelset validate out/saxpy_kernel/saxpy_kernel.cu --targets sm_80",
            "kernelset validate out/saxpy_kernel/saxpy_kernel.cu --device cpu",
        ),
    ),
    Verb(
        "enqueue",
        "crawls.enqueue:enqueue",
        (
            "kernelset enqueue pypi:mmcv==2.2.0",
            "kernelset enqueue pypi:mmcv --wait",
        ),
    ),
    Verb(
        "worker",
        "operations.worker:worker",
        (
            "kernelset worker",
            "kernelset worker --queues 'extract,validate.*'",
        ),
    ),
    Verb(
        "dispatch",
        "operations.dispatch:dispatch",
        (
            "kernelset dispatch",
            "kernelset dispatch --metrics-port 9464",
        ),
    ),
    Verb(
        "test",
        "files.test:run_tests",
        (
            "kernelset test ./my/project",
            "kernelset test pypi:torch_scatter==2.1.2 --python ~/torch/bin/python --json",
        ),
    ),
    Verb(
        "web",
        "operations.web:web",
        (
            "kernelset web",
            "kernelset web --host 0.0.0.0 --port 8080",
        ),
    ),
    Verb("pause", "crawls.pause:pause", ("kernelset pause 06646e6b3514",)),
    Verb("resume", "crawls.resume:resume", ("kernelset resume 06646e6b3514",)),
    Verb("cancel", "crawls.cancel:cancel", ("kernelset cancel 06646e6b3514",)),
    Verb(
        "doctor",
        "operations.doctor:doctor",
        (
            "kernelset doctor",
            "kernelset doctor --without sandbox --json",
        ),
    ),
)
