"""All SQL tables; migrations create them, and a test keeps both equal."""

from __future__ import annotations

from storage.database.base import METADATA
from storage.tables.access import ACCESS_TOKEN
from storage.tables.blobs import BLOB, PACK
from storage.tables.counts import VALUE_COUNT
from storage.tables.imports import IMPORTED_SAMPLE
from storage.tables.kernels import (
    DEFINITION,
    INSTANTIATION,
    KERNEL,
    KERNEL_OPERATOR,
    KERNEL_TAG,
    KERNEL_TEXT,
    LAUNCH,
    PORT,
    PORT_BLOCKER,
    REVISION,
    REVISION_TASK,
    UNIT,
)
from storage.tables.reviews import REVIEW, REVIEW_CLAIM, REVIEW_STATE
from storage.tables.sources import MEMORY, REPOSITORY
from storage.tables.tasks import CRAWL, CRAWL_TASK, SPAWN, TASK, WAIT, WORKER
from storage.tables.verdicts import BUILD, RUN, SUITE

__all__ = (
    "ACCESS_TOKEN",
    "BLOB",
    "BUILD",
    "CRAWL",
    "CRAWL_TASK",
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
    "PACK",
    "PORT",
    "PORT_BLOCKER",
    "REPOSITORY",
    "REVIEW",
    "REVIEW_CLAIM",
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
