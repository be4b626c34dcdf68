"""The tables; `migrations/` makes them, and a test holds that both agree."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Index, UniqueConstraint, false, text
from sqlmodel import Field

from storage.base import LARGE, Base
from storage.base import METADATA as METADATA
from storage.base import table as table


def _of(table: str, **options: Any) -> Any:
    return Field(foreign_key=f"{table}.id", **options)


# the ledger


class Crawl(Base, table=True):
    """What somebody asked for once."""

    id: str = Field(primary_key=True)
    locators: str
    """JSON list."""
    created_at: float
    state: str = Field(default="active", sa_column_kwargs={"server_default": "active"})
    """`active`, `paused` or `cancelled`: tasks that are of no active crawl are not claimed."""


class Task(Base, table=True):
    """A task; one of each (stage, key, stage version)."""

    __table_args__ = (
        UniqueConstraint("stage", "key", "stage_version"),
        Index(
            "ix_task_ready",
            "stage",
            text("priority DESC"),
            "id",
            sqlite_where=text("state = 'ready'"),
            postgresql_where=text("state = 'ready'"),
        ),
        Index("ix_task_state", "state"),
        Index(
            "ix_task_dispatch",
            "queue",
            "account",
            text("priority DESC"),
            "id",
            sqlite_where=text("state = 'ready'"),
            postgresql_where=text("state = 'ready'"),
        ),
        Index(
            "ix_task_sent",
            "queue",
            "sent_at",
            sqlite_where=text("state = 'ready' AND sent_at > 0"),
            postgresql_where=text("state = 'ready' AND sent_at > 0"),
        ),
    )
    id: int | None = Field(default=None, primary_key=True)
    stage: str
    key: str
    stage_version: str
    queue: str
    payload: str
    subject: str
    priority: int = 0
    account: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """What was asked for that led to this, such as `github:ROCm`: each account gets its share."""
    host: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """The server that it will ask, if any."""
    state: str
    not_before: float = 0.0
    sent_at: float = Field(default=0.0, sa_column_kwargs={"server_default": "0"})
    """When a message about it was sent, 0 for never since it is ready."""
    owner: str = ""
    lease: float = 0.0
    """When it runs out."""
    leased_at: float = 0.0
    attempt: int = 0
    generation: int = 0
    parent: int | None = _of("task", default=None)
    """The task that asked for it first; `spawn` has all."""
    pending_children: int = 0
    """How many of the tasks that it waits for have not ended."""
    kills: int = 0
    """Workers that died holding it."""
    interruptions: int = 0
    """Whole runs that died while it was held."""
    code: str = ""
    message: str = ""
    result: str = ""
    created_at: float = 0.0
    ended_at: float = 0.0


class CrawlTask(Base, table=True):
    """The tasks of a crawl; a task may serve several."""

    __tablename__ = "crawl_task"
    crawl: str = _of("crawl", primary_key=True)
    task: int = _of("task", primary_key=True, index=True)


class Spawn(Base, table=True):
    """Which task asked for which."""

    spawned_by: int = _of("task", primary_key=True)
    task: int = _of("task", primary_key=True, index=True)


class Wait(Base, table=True):
    """Which task waits for which to end."""

    task: int = _of("task", primary_key=True)
    child: int = _of("task", primary_key=True, index=True)


class LiveWorker(Base, table=True):
    """A worker process, and what it serves; one that was not seen for a minute is gone."""

    __tablename__ = "worker"
    id: str = Field(primary_key=True)
    """As `storage.owner` names it."""
    queues: str
    """JSON list."""
    processes: int
    started_at: float
    seen_at: float


# blobs


class Pack(Base, table=True):
    """A file that holds many small blobs."""

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)


class Blob(Base, table=True):
    """Where a blob lies: in a pack, or loose under its digest."""

    digest: str = Field(primary_key=True)
    size: int = Field(sa_type=LARGE)
    """Of the content."""
    pack: int | None = _of("pack", default=None)
    offset: int = Field(default=0, sa_type=LARGE)
    length: int = Field(sa_type=LARGE)
    """As stored."""


# the index


class Revision(Base, table=True):
    """A commit of a repository, and where its sources and compile database are stored."""

    __table_args__ = (UniqueConstraint("source", "owner", "name", "pinned"), Index(None, "repo", "pinned"))
    id: int | None = Field(default=None, primary_key=True)
    repo: str
    """`name`, or `owner/name`."""
    source: str
    owner: str
    name: str
    pinned: str
    """The commit; the plain word is reserved in SQL."""
    ref: str
    url: str
    licence: str
    snapshot: str
    database: str
    encoded: str
    """JSON of the whole `Repo`."""


class RevisionTask(Base, table=True):
    """The tasks that found a commit, and so the crawls that it belongs to."""

    __tablename__ = "revision_task"
    task: int = Field(primary_key=True)
    revision: int = _of("revision", primary_key=True, index=True)


class Unit(Base, table=True):
    """A kernel unit; its text is the blob of the same digest."""

    digest: str = Field(primary_key=True)
    dialect: str
    kernel_name: str
    prelude: str
    token_digest: str = Field(index=True)
    encoded: str
    """Digest of the unit's JSON without its text."""


class Port(Base, table=True):
    """Which unit was ported from which."""

    unit: str = Field(foreign_key="unit.digest", primary_key=True)
    ported: str = Field(foreign_key="unit.digest", primary_key=True, index=True)
    wave: str = Field(sa_column_kwargs={"server_default": ""})
    """On which widths of a wave it means the same; empty where that was not told."""
    encoded: str
    """Digest of the ported unit's JSON without its text: its report tells this port."""


class PortBlocker(Base, table=True):
    """What stands in the way of a port."""

    __tablename__ = "port_blocker"
    unit: str = Field(foreign_key="unit.digest", primary_key=True)
    ported: str = Field(foreign_key="unit.digest", primary_key=True)
    code: str = Field(primary_key=True)


class KernelDefinition(Base, table=True):
    """A kernel definition at one place of one commit."""

    __tablename__ = "kernel"
    __table_args__ = (
        Index("ix_kernel_place", "repo", "pinned", "path", "offset", "id"),
        Index("ix_kernel_name", "name"),
    )
    id: int | None = Field(default=None, primary_key=True)
    revision: int = _of("revision", index=True)
    repo: str
    """Copied from the revision, with `pinned`, so that paging needs one index."""
    pinned: str
    path: str
    line: int
    end_line: int
    offset: int = Field(sa_type=LARGE)
    name: str
    qualified_name: str
    dialect: str
    found_by: str
    reason: str
    flags_origin: str
    is_template: bool
    launches: int
    superseded: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether its repository has a newer commit for the same ref, or none any more."""
    licence: str
    licence_class: str
    unit: str = Field(index=True)
    """Empty without one."""
    cluster: str = Field(index=True)
    unit_problem: str
    """The slug alone."""
    encoded: str
    """Digest of the kernel's JSON without its unit."""


class KernelTag(Base, table=True):
    """A tag of a kernel."""

    __tablename__ = "kernel_tag"
    kernel: int = _of("kernel", primary_key=True, ondelete="CASCADE")
    tag: str = Field(primary_key=True, index=True)


class KernelInstantiation(Base, table=True):
    """A set of template arguments that a kernel is really used with."""

    __tablename__ = "instantiation"
    kernel: int = _of("kernel", primary_key=True, ondelete="CASCADE")
    position: int = Field(primary_key=True)
    label: str = Field(index=True)
    arguments: str
    """JSON list."""
    symbol: str
    origin: str


class KernelLaunch(Base, table=True):
    """A launch site of a kernel."""

    __tablename__ = "launch"
    kernel: int = _of("kernel", primary_key=True, ondelete="CASCADE")
    position: int = Field(primary_key=True)
    path: str
    line: int
    grid: str
    block: str
    shared_bytes: str
    stream: str
    enclosing: str
    found_by: str


class UnitBuild(Base, table=True):
    """A unit's object on one target by one toolchain, and its verdict."""

    __tablename__ = "build"
    __table_args__ = (UniqueConstraint("unit", "target", "toolchain"),)
    id: int | None = Field(default=None, primary_key=True)
    unit: str
    target: str
    toolchain: str
    """Its digest."""
    compiler: str
    status: str
    code: str
    message: str
    form: str
    loaded: bool | None
    object: str
    """Digest; empty without one."""
    seconds: float
    encoded: str
    """Digest of the build's JSON."""


class UnitRun(Base, table=True):
    """What a unit did on one device, by one toolchain, and its verdicts."""

    __tablename__ = "run"
    __table_args__ = (UniqueConstraint("unit", "device", "details", "toolchain"),)
    id: int | None = Field(default=None, primary_key=True)
    unit: str
    device: str
    """`cpu`, `rocm:gfx942`, `cuda:sm_90`."""
    details: str
    """Model and partition; empty for a CPU."""
    toolchain: str
    """Its digest."""
    compiler: str
    instantiation: str
    """Label of the one that stands for all."""
    behaviour: str
    oracle: str
    suite: str
    """Digest; empty without cases."""
    cases: int
    exe_status: str
    exe_code: str
    exe_message: str
    perf_status: str
    """Empty where nobody measured it, as are these:"""
    perf_code: str
    perf_message: str
    branches: int
    """-1 where they were not counted, as are these:"""
    branches_reached: int
    mutants: int
    killed: int
    seconds: float
    encoded: str
    """Digest of the run's JSON."""


class CaseSuite(Base, table=True):
    """The cases of a unit; their JSON is the blob of the same digest."""

    __tablename__ = "suite"
    digest: str = Field(primary_key=True)
    unit: str = Field(index=True)
    seed: int = Field(sa_type=LARGE)
    oracle: str
    cases: int
    """Those that are shown."""
    contents: str
    """JSON list of the digests of all inputs and golden outputs."""


# visits to hosts


class Remembered(Base, table=True):
    """What outlives a visit to a server: its answers, and until when it asked to be left alone."""

    __tablename__ = "memory"
    key: str = Field(primary_key=True)
    value: bytes
    remembered_at: float


class HostedRepository(Base, table=True):
    """A repository as its owner's listing showed it last."""

    __tablename__ = "repository"
    source: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    """The host's own number: a new name does not change it."""
    owner: str = Field(index=True)
    name: str
    url: str
    kilobytes: int = Field(default=0, sa_type=LARGE, sa_column_kwargs={"server_default": "0"})
    pushed_at: str
    """As the host writes it."""
    state: str
    """`wanted`, `passed-over` or `vanished`."""
    reason: str
    """Why it was passed over: a stable slug."""
    seen_at: float
    vanished_at: float
    """0 for one that is there."""
