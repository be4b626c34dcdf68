"""Restart crawls whose tasks belong to a retired code revision."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from storage.ledger.interface import Lane, Stage, TaskSpec
from workers.tasks.queues import stage_of
from workers.tasks.task_specs import stage_revision, stage_version

if TYPE_CHECKING:
    from storage.open import Storage


def restart_stranded_crawls(
    storage: Storage, served_lanes: Collection[Lane]
) -> Iterator[str]:
    """Take over what is stranded in lanes that no worker serves, and yield each crawl that
    begins anew.

    Nothing is taken over from a newer version, nor before a worker of this one serves the
    queue. A crawl begins anew from its first tasks, so that no result is joined from those of
    two versions; what both would do alike is kept.
    """
    stranded_lanes: list[Lane] = []
    for lane in storage.stranded_tasks.ready_lanes():
        if lane not in served_lanes and _is_ours_to_adopt(lane, served_lanes):
            stranded_lanes.append(lane)

    own_revisions = {stage: stage_revision(stage) for stage in Stage}
    for lane in stranded_lanes:
        stage = stage_of(lane.queue)
        if stage is Stage.VALIDATE_DEVICE:
            # nothing joins its tasks, and those who ask for them are of any version
            storage.stranded_tasks.adopt(
                lane, stage_version(stage), own_revisions[stage]
            )
            continue

        for crawl in storage.stranded_tasks.stranded_crawls(lane, own_revisions):
            _restart_crawl(storage, crawl, own_revisions)
            yield crawl


def is_newer_revision(other_revision: str, own_revision: str) -> bool:
    """Tell whether a revision is of newer code than another of the same stage.

    So is one that we cannot read.
    """
    try:
        return _version_numbers(other_revision) > _version_numbers(own_revision)
    except ValueError:
        return True


def _restart_crawl(
    storage: Storage, crawl: str, own_revisions: Mapping[Stage, str]
) -> None:
    own_roots: list[TaskSpec] = []
    for root in storage.stranded_tasks.root_tasks(crawl):
        own_root = replace(
            root,
            version=stage_version(root.stage),
            revision=own_revisions[root.stage],
        )
        own_roots.append(own_root)

    storage.stranded_tasks.restart_crawl(crawl, tuple(own_roots))


def _is_ours_to_adopt(lane: Lane, served_lanes: Collection[Lane]) -> bool:
    own_revision = stage_revision(stage_of(lane.queue))
    # a lane without a revision is open to workers of any
    if not lane.revision or is_newer_revision(lane.revision, own_revision):
        return False
    return Lane(lane.queue, own_revision) in served_lanes


def _version_numbers(revision: str) -> list[int]:
    # `2.15+ab`: what follows the plus is a digest of headers, and has no order
    dotted_numbers = revision.partition("+")[0]
    return [int(number) for number in dotted_numbers.split(".")]
