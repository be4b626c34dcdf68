"""All SQL tables; migrations create them, and a test keeps both equal."""

from __future__ import annotations

from storage.database.base import METADATA, table
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
from storage.tables.sources import HostedRepository, MemoryEntry
from storage.tables.tasks import Crawl, CrawlTask, LiveWorker, Spawn, Task, Wait
from storage.tables.verdicts import CaseSuite, UnitBuild, UnitRun

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
    "MemoryEntry",
    "Pack",
    "Port",
    "PortBlocker",
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
