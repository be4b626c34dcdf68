"""The tables; `migrations/` makes them, and a test holds that both agree."""

from __future__ import annotations

from storage.base import METADATA, table
from storage.tables.blobs import Blob, Pack
from storage.tables.kernels import (
    KernelDefinition,
    KernelInstantiation,
    KernelLaunch,
    KernelTag,
    Port,
    PortBlocker,
    Revision,
    RevisionTask,
    Unit,
)
from storage.tables.tasks import Crawl, CrawlTask, LiveWorker, Spawn, Task, Wait
from storage.tables.verdicts import CaseSuite, UnitBuild, UnitRun
from storage.tables.visits import HostedRepository, Remembered

__all__ = (
    "METADATA",
    "Blob",
    "CaseSuite",
    "Crawl",
    "CrawlTask",
    "HostedRepository",
    "KernelDefinition",
    "KernelInstantiation",
    "KernelLaunch",
    "KernelTag",
    "LiveWorker",
    "Pack",
    "Port",
    "PortBlocker",
    "Remembered",
    "Revision",
    "RevisionTask",
    "Spawn",
    "Task",
    "Unit",
    "UnitBuild",
    "UnitRun",
    "Wait",
    "table",
)
