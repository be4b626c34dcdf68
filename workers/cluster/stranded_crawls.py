"""Restart crawls whose tasks belong to a retired code revision."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from storage.ledger.interface import Lane, Stage
from workers.tasks.queues import stage_of
from workers.tasks.task_specs import stage_revision, stage_version

if TYPE_CHECKING:
    from storage.open import Storage


def restart_stranded_crawls(
    storage: Storage, served_lanes: Collection[Lane]
) -> Iterator[str]:
    """Take over what is stranded in `served_lanes` that no worker serves, and yield each crawl
    that begins anew.

    Nothing is taken over from a newer version, nor before a worker of this one serves the
    queue. A crawl begins anew
    from its first tasks, so that no result is joined from those of two versions; what both
    would do alike is kept.
    """
    stranded = [
        lane
        for lane in storage.stranded_tasks.ready_lanes()
        if lane not in served_lanes and _ours(lane, served_lanes)
    ]
    mine = {stage: stage_revision(stage) for stage in Stage}
    for lane in stranded:
        stage = stage_of(lane.queue)
        if stage is Stage.VALIDATE_DEVICE:
            # nothing joins its tasks, and those who ask for them are of any version
            storage.stranded_tasks.adopt(lane, stage_version(stage), mine[stage])
            continue
        for crawl in storage.stranded_tasks.stranded_crawls(lane, mine):
            roots = storage.stranded_tasks.root_tasks(crawl)
            again = (
                replace(
                    root, version=stage_version(root.stage), revision=mine[root.stage]
                )
                for root in roots
            )
            storage.stranded_tasks.restart_crawl(crawl, tuple(again))
            yield crawl


def is_newer_revision(other_revision: str, own_revision: str) -> bool:
    """Tell whether a revision is of newer code than another of the same stage; so is one that
    we cannot read.
    """
    try:
        return _numbers(other_revision) > _numbers(own_revision)
    except ValueError:
        return True


def _ours(lane: Lane, lanes: Collection[Lane]) -> bool:
    mine = stage_revision(stage_of(lane.queue))
    return (
        bool(lane.revision)
        and not is_newer_revision(lane.revision, mine)
        and Lane(lane.queue, mine) in lanes
    )


def _numbers(of: str) -> list[int]:
    return [int(each) for each in of.partition("+")[0].split(".")]
