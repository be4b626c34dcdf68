"""What an older version of our code had begun and none of its workers is left to end, asked for again by this one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from storage.ledger import Lane, Stage
from workers.queues import stage_of
from workers.stages.tasks import revision, version

if TYPE_CHECKING:
    from storage.open import Storage


def renew(storage: Storage, lanes: Collection[Lane]) -> Iterator[str]:
    """Take over what is stranded in `lanes` that no worker serves, and yield each crawl that begins anew.

    Nothing is taken over from a newer version, nor before a worker of this one serves the queue. A crawl begins anew
    from its first tasks, so that no result is joined from those of two versions; what both would do alike is kept.
    """
    stranded = [lane for lane in storage.renewal.ready_lanes() if lane not in lanes and _ours(lane, lanes)]
    mine = {stage: revision(stage) for stage in Stage}
    for lane in stranded:
        stage = stage_of(lane.queue)
        if stage is Stage.VALIDATE_DEVICE:
            # nothing joins its tasks, and those who ask for them are of any version
            storage.renewal.adopt(lane, version(stage), mine[stage])
            continue
        for crawl in storage.renewal.stranded(lane, mine):
            roots = storage.renewal.roots(crawl)
            again = (replace(root, version=version(root.stage), revision=mine[root.stage]) for root in roots)
            storage.renewal.renew(crawl, tuple(again))
            yield crawl


def is_newer(theirs: str, mine: str) -> bool:
    """Tell whether a revision is of newer code than another of the same stage; so is one that we cannot read."""
    try:
        return _numbers(theirs) > _numbers(mine)
    except ValueError:
        return True


def _ours(lane: Lane, lanes: Collection[Lane]) -> bool:
    mine = revision(stage_of(lane.queue))
    return bool(lane.revision) and not is_newer(lane.revision, mine) and Lane(lane.queue, mine) in lanes


def _numbers(of: str) -> list[int]:
    return [int(each) for each in of.partition("+")[0].split(".")]
