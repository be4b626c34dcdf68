"""All SQL tables; migrations create them, and a test keeps both equal.

A class describes the rows of a table; the constant beside it is the table itself, from which
statements are built.
"""

from __future__ import annotations

from typing import Final

from storage.database.base import METADATA, get_table
from storage.tables.access import AccessToken
from storage.tables.accounts import CrawlUse, RequestRow
from storage.tables.blobs import Blob, Pack
from storage.tables.completions import CompletionAttemptRow, ModelAnswer
from storage.tables.counts import ValueCountRow
from storage.tables.imports import ImportedSampleRow
from storage.tables.kernels import (
    Definition,
    KernelDefinition,
    KernelInstantiation,
    KernelLaunch,
    KernelOperator,
    KernelTag,
    KernelText,
    Port,
    PortBlocker,
    Revision,
    RevisionTask,
    Unit,
)
from storage.tables.reviews import (
    ReviewClaim,
    ReviewPass,
    UnitReview,
    UnitReviewState,
)
from storage.tables.sources import HostedRepository, MemoryEntry
from storage.tables.tasks import Crawl, CrawlTask, LiveWorker, Spawn, Task, Wait
from storage.tables.verdicts import CaseSuite, UnitBuild, UnitRun

__all__ = (
    "ACCESS_TOKEN",
    "BLOB",
    "BUILD",
    "COMPLETION_ATTEMPT",
    "CRAWL",
    "CRAWL_TASK",
    "CRAWL_USE",
    "DEFINITION",
    "IMPORTED_SAMPLE",
    "INSTANTIATION",
    "KERNEL",
    "KERNEL_OPERATOR",
    "KERNEL_TAG",
    "KERNEL_TEXT",
    "LAUNCH",
    "MEMORY",
    "METADATA",
    "MODEL_ANSWER",
    "PACK",
    "PORT",
    "PORT_BLOCKER",
    "REPOSITORY",
    "REQUEST",
    "REVIEW",
    "REVIEW_CLAIM",
    "REVIEW_PASS",
    "REVIEW_STATE",
    "REVISION",
    "REVISION_TASK",
    "RUN",
    "SPAWN",
    "SUITE",
    "TASK",
    "UNIT",
    "VALUE_COUNT",
    "WAIT",
    "WORKER",
)

BLOB: Final = get_table(Blob)
PACK: Final = get_table(Pack)

REVISION: Final = get_table(Revision)
REVISION_TASK: Final = get_table(RevisionTask)
UNIT: Final = get_table(Unit)
DEFINITION: Final = get_table(Definition)
PORT: Final = get_table(Port)
PORT_BLOCKER: Final = get_table(PortBlocker)
KERNEL: Final = get_table(KernelDefinition)
KERNEL_TAG: Final = get_table(KernelTag)
KERNEL_TEXT: Final = get_table(KernelText)
KERNEL_OPERATOR: Final = get_table(KernelOperator)
INSTANTIATION: Final = get_table(KernelInstantiation)
LAUNCH: Final = get_table(KernelLaunch)

VALUE_COUNT: Final = get_table(ValueCountRow)

MEMORY: Final = get_table(MemoryEntry)
REPOSITORY: Final = get_table(HostedRepository)

CRAWL: Final = get_table(Crawl)
TASK: Final = get_table(Task)
CRAWL_TASK: Final = get_table(CrawlTask)
SPAWN: Final = get_table(Spawn)
WAIT: Final = get_table(Wait)
WORKER: Final = get_table(LiveWorker)

CRAWL_USE: Final = get_table(CrawlUse)
REQUEST: Final = get_table(RequestRow)

BUILD: Final = get_table(UnitBuild)
RUN: Final = get_table(UnitRun)
SUITE: Final = get_table(CaseSuite)

IMPORTED_SAMPLE: Final = get_table(ImportedSampleRow)
ACCESS_TOKEN: Final = get_table(AccessToken)

REVIEW: Final = get_table(UnitReview)
REVIEW_STATE: Final = get_table(UnitReviewState)
REVIEW_CLAIM: Final = get_table(ReviewClaim)
REVIEW_PASS: Final = get_table(ReviewPass)

MODEL_ANSWER: Final = get_table(ModelAnswer)
COMPLETION_ATTEMPT: Final = get_table(CompletionAttemptRow)
