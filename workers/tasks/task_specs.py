"""Create task specifications.

A task's key is the digest of its payload, and its version covers all stages that it leads to.
"""

from __future__ import annotations

import hashlib
import importlib
from functools import cache
from typing import Final

from crawler import headers
from crawler.codec import decode, encode
from crawler.libraries.discovery import libraries_digest
from crawler.model import Repo
from crawler.toolchains import discovery
from storage.interfaces import BlobStore
from storage.ledger.interface import Stage, TaskSpec
from workers.tasks.queues import queue_of

_OWN_VERSIONS: Final = {
    Stage.LIST: "crawler.sources.version",
    Stage.CLONE: "crawler.sources.version",
    Stage.BUILD_DB: "crawler.builds.version",
    Stage.EXTRACT: "crawler.extract.version",
    Stage.LINK: "crawler.extract.version",
    Stage.PORT: "crawler.port.version",
    Stage.VALIDATE: "crawler.validate.version",
    Stage.VALIDATE_CPU: "crawler.validate.emulator.version",
    Stage.VALIDATE_DEVICE: "crawler.validate.devices.version",
    Stage.JUDGE: "crawler.judging.version",
}
_PRIORITY: Final = {
    **{stage: position for position, stage in enumerate(Stage)},
    # what runs kernels waits until nothing else is left to do
    Stage.VALIDATE_CPU: -1,
}
_LONG_PRIORITY: Final = _PRIORITY[Stage.EXTRACT]
"""That of tasks that take minutes: behind what was to be extracted before they were asked for."""
_PIPELINE: Final = tuple(stage for stage in Stage if stage is not Stage.JUDGE)
_LEADS_TO: Final[dict[Stage, tuple[Stage, ...]]] = {
    **{stage: _PIPELINE[position:] for position, stage in enumerate(_PIPELINE)},
    Stage.EXTRACT: (Stage.EXTRACT,),
    Stage.PORT: (Stage.PORT, Stage.VALIDATE),
    Stage.VALIDATE: (Stage.VALIDATE,),
    # what ran on a CPU is asked to run on devices whenever a crawl names them
    Stage.VALIDATE_CPU: (Stage.VALIDATE_CPU,),
    Stage.JUDGE: (Stage.JUDGE,),
}


def make_task_spec(
    stage: Stage,
    payload: object,
    subject: str,
    *,
    host: str = "",
    device: str = "",
    is_long: bool = False,
) -> TaskSpec:
    """Return the task of `stage` for a payload that holds ids only.

    Later stages go first, so that commits finish, but for a long task: a crawl that is ended early
    would otherwise have little else.
    """
    encoded_payload = encode(payload)
    priority = _PRIORITY[stage]
    return TaskSpec(
        stage=stage,
        key=hashlib.sha256(encoded_payload).hexdigest(),
        version=stage_version(stage),
        revision=stage_revision(stage),
        queue=queue_of(stage, device),
        payload=encoded_payload.decode(),
        subject=subject,
        priority=min(_LONG_PRIORITY, priority) if is_long else priority,
        host=host,
    )


@cache
def stage_version(stage: Stage) -> str:
    """Return the stage's version: its own, and that of all stages that it leads to.

    Without the latter a new version of a later stage would never be asked for.
    """
    later_stages = _LEADS_TO[stage]
    versions = "/".join(map(_own_version, later_stages))
    digest = hashlib.sha256(versions.encode()).hexdigest()
    return digest[:16]


@cache
def stage_revision(stage: Stage) -> str:
    """Return the stage's version as far as it is the code's.

    That is the numbers of its stages, which only grow, and a digest of the headers that it reads.
    Workers of one revision may do each other's tasks of the stage, whatever compilers their
    machines have.
    """
    later_stages = _LEADS_TO[stage]
    revision = ".".join(map(_version_number, later_stages))
    if Stage.EXTRACT in later_stages:
        headers_digest = headers.headers_digest()
        revision += f"+{headers_digest[:8]}"

    return revision


def store_json(blobs: BlobStore, value: object) -> str:
    """Store a value as JSON and return its digest."""
    return blobs.put(encode(value))


def load_repo(blobs: BlobStore, digest: str) -> Repo:
    """Return the repository that was kept under `digest`."""
    encoded_repo = blobs.get(digest)
    return decode(encoded_repo, Repo)


def repo_title(repo: Repo) -> str:
    """Return how people call a repository at its commit: `mmcv 2.2.0`."""
    name = repo.label
    commit = repo.commit.removeprefix("sha256:")
    revision = repo.ref or commit[:12]
    return f"{name} {revision}".strip()


def _own_version(stage: Stage) -> str:
    number = _version_number(stage)
    match stage:
        case Stage.EXTRACT:
            return f"{number}+{headers.headers_digest()}{libraries_digest()}"
        case Stage.VALIDATE | Stage.VALIDATE_CPU | Stage.VALIDATE_DEVICE | Stage.JUDGE:
            return f"{number}+{discovery.toolchain_digest()}"

    return number


def _version_number(stage: Stage) -> str:
    module_name = _OWN_VERSIONS[stage]
    module = importlib.import_module(module_name)
    return str(module.VERSION)
