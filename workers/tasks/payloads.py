"""Payloads and results of tasks: digests and options, never the values themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

from crawler.sources.options import RepositoryFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPayload:
    """A locator, and what to do with what it names."""

    locator: str
    targets: tuple[str, ...]
    limit: int = 0
    """Repositories to take, 0 for all."""
    asked: str = ""
    """When, for a locator that may name something else tomorrow; empty for a pinned one."""
    wanted: RepositoryFilter = field(default_factory=RepositoryFilter)
    """Which of an owner's repositories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinPayload:
    """A stored `Repo` that its owner's listing named, to be looked into once for each time that
    it was pushed to.
    """

    repo: str
    targets: tuple[str, ...]
    asked: str = ""
    """When, for one that had vanished and is back: it is looked into though nobody pushed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepoPayload:
    """A stored `Repo`."""

    repo: str
    targets: tuple[str, ...]
    submodules: bool = False
    """Whether they are brought too."""
    dependency_hosts: tuple[str, ...] = ()
    """Hosts that are asked for headers of what the repository declares."""
    debian_headers: bool = False
    """Whether Debian's packages are asked for others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotPayload:
    """A stored `Repo` and its stored sources."""

    repo: str
    snapshot: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPayload:
    """A group of a compile database: what one extract task parses."""

    snapshot: str
    database: str
    group: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPayload:
    """A commit whose batches have ended."""

    repo: str
    snapshot: str
    database: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PortPayload:
    """A commit whose units are in the index."""

    repo: str
    units: str
    """Digest of the stored list of the units' digests, so that other units are another task."""
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatePayload:
    """Stored units, and what to compile them for."""

    units: str
    """Digest of the stored `KernelUnit`s."""
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKernel:
    """Where a kernel and its unit are stored, by digests."""

    kernel: str
    unit: str
    """Of its JSON without its text."""
    source: str
    """Of its text: the unit's own digest."""
    versions: tuple[StoredKernel, ...] = ()
    """Other kernels of the commit that take the same and are written otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPayload:
    """Kernels to be run."""

    kernels: str
    """Digest of the stored `StoredKernel`s."""
    snapshot: str
    database: str = ""
    """Digest of the commit's stored compile database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePayload:
    """Kernels that ran on a CPU, to be run on a device with the same cases."""

    kernels: str
    """Digest of the stored `StoredKernel`s."""
    runs: str
    """Digest of their stored `Run`s on the CPU, in the same order."""
    device: str
    """`rocm:gfx942`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCandidate:
    """Where a candidate's answer is stored, and what it answers."""

    task_id: str
    number: int
    language: str
    completion: str
    """Digest of the stored answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePayload:
    """Candidates of one task, to be judged."""

    task_id: str
    """Of the task, by which a purge of its kernel finds this."""
    candidates: str
    """Digest of the stored `StoredCandidate`s."""
    task: str
    """Digest of the task when it was asked for, so that other cases are another judging."""
    case_seconds: int
    """Of the processor, that a candidate may take for a case."""
    device: str = ""
    """`rocm:gfx942`; empty for a CPU."""
    counts_steps: bool = False
    """Whether steps of right candidates are counted."""
    takes_times: bool = False
    """Whether right candidates are timed on the GPU."""
    targets: tuple[str, ...] = ()
    """What candidates have to compile for beside what they run on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeResult:
    """What a task that judged candidates stored."""

    judgements: str
    """Digest of the stored `Judgement`s, without what no export shows."""
    judged: int
    reused: int
    """How many of them had the source of a candidate that was judged before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What a task that ran kernels on the CPU stored."""

    device: str
    kernels: str
    runs: str
    statuses: dict[str, int]
    reused: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """What an extract task stored."""

    facts: str
    units: int
    kernels: int
    reused: int = 0
    """Units whose facts an earlier commit, or a fork, had already shown."""
