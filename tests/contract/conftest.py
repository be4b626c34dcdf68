"""What whole suites are about: a ledger of each kind with a clock and deaths of our own, and
devices.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from crawler.model import Dialect
from crawler.validate.devices.gpu_detection import RUNTIMES, Gpu
from crawler.validate.values.blobs import Blobs
from storage.database.engine import create_sqlite_engine
from storage.database.postgres import create_postgres_engine
from storage.in_memory.index import InMemoryKernelIndex
from storage.interfaces import KernelIndex
from storage.ledger.interface import Stage
from storage.ledger.sql_ledger import SqlLedger
from storage.open import open_storage
from tests.contract.kernel_indexes import KINDS, crawl_in, fill_index
from tests.stand_ins import drivers, kernels
from tests.stand_ins.bench import DIALECTS, Bench, open_real_bench
from tests.stand_ins.kernels import Does

Key = tuple[Stage, str, str]
UNENDED = {"waiting", "ready", "running"}
TABLES = ("crawl", "task", "crawl_task", "spawn", "wait")


@dataclass
class World:
    """A ledger, the time it is told, and the owners that are dead in it."""

    engine: Engine
    now: float = 1000.0
    dead: set[str] = field(default_factory=set)
    far: set[str] = field(default_factory=lambda: {"far"})
    """Owners on other hosts, of which nothing is known."""
    whole: set[str] = field(default_factory=set)
    """Owners whose worker died with them."""

    def __post_init__(self) -> None:
        self.ledger = self.open_ledger()

    def open_ledger(self) -> SqlLedger:
        """Another process's view of the same ledger, opened now."""
        return SqlLedger(
            self.engine,
            clock=lambda: self.now,
            is_dead=self._is_dead,
            is_worker_lost=lambda owner: owner in self.whole,
        )

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with self.engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(statement))]

    def everything(self) -> dict[str, list[tuple[Any, ...]]]:
        return {table: self.rows(f"SELECT * FROM {table}") for table in TABLES}

    def _is_dead(self, owner: str) -> bool | None:
        return None if owner in self.far else owner in self.dead


@dataclass
class Entry:
    """What the model knows of a task."""

    state: str = "ready"
    generation: int = 0
    attempt: int = 0
    kills: int = 0
    interruptions: int = 0
    not_before: float = 0.0
    owner: str = ""
    lease: float = 0.0
    leased_at: float = 0.0
    waits: set[Key] = field(default_factory=set)
    spawned: set[Key] = field(default_factory=set)
    done: int = 0
    """How often it was finished, by whom it was held."""
    again: int = 0
    """How often it was made to run again."""


class Model:
    """The ledger as one would tell it: tasks, who waits for whom, who asked for whom, and which
    crawl has what.
    """

    def __init__(self) -> None:
        self.tasks: dict[Key, Entry] = {}
        self.crawls: dict[str, set[Key]] = {}

    def ensure(self, keys: Iterable[Key], state: str = "ready") -> set[Key]:
        for key in keys:
            self.tasks.setdefault(key, Entry(state=state))
        return set(keys)

    def reach(self, keys: Iterable[Key]) -> set[Key]:
        reached: set[Key] = set()
        edge = set(keys)
        while edge:
            reached |= edge
            edge = {
                below for key in edge for below in self.tasks[key].spawned
            } - reached
        return reached

    def pending(self, key: Key) -> int:
        return sum(
            self.tasks[child].state in UNENDED for child in self.tasks[key].waits
        )

    def joiners(self, keys: set[Key]) -> set[Key]:
        above = {key for key, entry in self.tasks.items() if entry.waits & keys}
        return keys if above <= keys else self.joiners(keys | above)

    def release(self) -> None:
        for key, entry in self.tasks.items():
            if entry.state == "waiting" and not self.pending(key):
                entry.state = "ready"

    def end(self, key: Key, state: str) -> None:
        entry = self.tasks[key]
        entry.state, entry.owner, entry.lease = state, "", 0.0
        self.release()

    def run_again(self, keys: set[Key]) -> None:
        for key in self.joiners(keys):
            entry = self.tasks[key]
            entry.state, entry.owner, entry.lease, entry.not_before = (
                "waiting",
                "",
                0.0,
                0.0,
            )
            entry.attempt = entry.kills = entry.interruptions = 0
            entry.generation += 1
            entry.again += 1
        self.release()

    def finish(self, key: Key, children: set[Key], then: Key | None) -> None:
        crawls = [crawl for crawl, members in self.crawls.items() if key in members]
        self.ensure(children)
        self.tasks[key].spawned |= children
        if then:
            fresh = then not in self.tasks
            self.ensure([then], "waiting")
            self.tasks[key].spawned.add(then)
            if fresh or self.tasks[then].waits != children:
                self.tasks[then].waits = set(children)
                self.run_again({then})
        for crawl in crawls:
            self.crawls[crawl] |= self.reach({*children, *([then] if then else [])})
        self.tasks[key].done += 1
        self.end(key, "done")


@pytest.fixture(params=["sqlite", "postgres"])
def new_world(
    request: pytest.FixtureRequest, migrated_database: Path, tmp_path: Path
) -> Iterator[Callable[[], World]]:
    """Make worlds one after the other, each with an empty ledger."""
    engines: list[Engine] = []

    def make() -> World:
        if request.param == "postgres":
            address = request.getfixturevalue("empty_database")()
            engines[:] = engines or [create_postgres_engine(address)]
            return World(engines[0])
        path = tmp_path / f"{len(engines)}.db"
        shutil.copy(migrated_database, path)
        engines.append(create_sqlite_engine(path))
        return World(engines[-1])

    yield make
    for engine in engines:
        engine.dispose()


@pytest.fixture
def world(new_world: Callable[[], World]) -> World:
    return new_world()


@pytest.fixture
def model_of() -> type[Model]:
    return Model


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Bench]:
    """A device that stands for one of AMD's or NVIDIA's, and runs the kernels on this CPU."""
    made = drivers.unit_object(
        kernels.unit(Dialect.CUDA), [kernels.symbol(does) for does in Does]
    )

    def of(runtime: str, **settings: object) -> Bench:
        # a small cache, which is soon emptied
        library = drivers.install(
            tmp_path_factory.mktemp(runtime) / "driver",
            runtime,
            **{"l2": 1 << 20, **settings},
        )
        library.parent.parent.chmod(0o755)
        arch = "gfx90a" if runtime == "rocm" else "sm_90"
        gpu = Gpu(
            runtime=runtime, index=0, name="a stand-in", arch=arch, library=library
        )
        return Bench(
            gpu=gpu, unit=kernels.unit(DIALECTS[runtime]), object=made, blobs=Blobs()
        )

    return of


@pytest.fixture(
    params=[
        *RUNTIMES,
        *(
            pytest.param(f"real {runtime}", marks=pytest.mark.gpu)
            for runtime in RUNTIMES
        ),
    ],
    scope="module",
)
def bench(request: pytest.FixtureRequest, stand_in: Callable[..., Bench]) -> Bench:
    prefix, _, runtime = str(request.param).rpartition(" ")
    return open_real_bench(runtime) if prefix else stand_in(runtime)


@pytest.fixture(scope="module")
def open_filled_index(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str, str], tuple[str, KernelIndex]]]:
    """Open a filled index of a kind, once for the module, and return it behind its crawl."""
    with contextlib.ExitStack() as storages:
        indexes: dict[str, tuple[str, KernelIndex]] = {}

        def open_index(kind: str, address: str) -> tuple[str, KernelIndex]:
            if kind not in indexes:
                storage = storages.enter_context(
                    open_storage(tmp_path_factory.mktemp("home"), database=address)
                )
                crawl, task = crawl_in(storage)
                memory = InMemoryKernelIndex(
                    lambda name: {task} if name == crawl else set()
                )
                index = memory if kind == "memory" else storage.index
                fill_index(index, task)
                indexes[kind] = crawl, index
            return indexes[kind]

        yield open_index


@pytest.fixture(params=KINDS)
def crawled_index(
    request: pytest.FixtureRequest,
    open_filled_index: Callable[[str, str], tuple[str, KernelIndex]],
) -> tuple[str, KernelIndex]:
    """A crawl that found some of the kernels of an index, and that index."""
    address = ""
    if request.param == "postgres":
        address = request.getfixturevalue("kept_database")
    return open_filled_index(request.param, address)


@pytest.fixture
def index(crawled_index: tuple[str, KernelIndex]) -> KernelIndex:
    return crawled_index[1]


@pytest.fixture(params=KINDS)
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KernelIndex]:
    if request.param == "memory":
        yield InMemoryKernelIndex()
        return
    address = (
        request.getfixturevalue("empty_database")()
        if request.param == "postgres"
        else ""
    )
    with open_storage(tmp_path, database=address) as storage:
        yield storage.index
