"""A page over a small store, asked without a network in between."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from starlette.testclient import TestClient

from crawler.codec import decode
from crawler.model import KernelRecord
from storage.ledger.interface import Outcome, Stage, TaskSpec
from storage.open import Storage, open_storage
from tests.run_records import BLOBS, make_launched_record
from workers.config.settings import Settings
from workers.web.app import create_app
from workers.web.middleware import SecurityHeaders

RECORDS = decode(
    (Path(__file__).parent / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
REVIEWED_UNIT = next(
    record.kernel.unit.digest for record in RECORDS if record.kernel.unit
)
JSON = {"Accept": "application/json"}
ReviewSite = tuple[TestClient, Storage]
"""The page with kernels to review, and its store."""


def fill_with_records(storage: Storage) -> str:
    """Store the kernels of the fixture under a crawl of which a task failed, and return its id."""
    specs = tuple(
        TaskSpec(
            stage=Stage.CLONE,
            key=str(number),
            version="1",
            queue="clone",
            payload="{}",
            subject=f"rollers {number}",
        )
        for number in range(3)
    )
    crawl = storage.ledger.open_crawl(("pypi:rollers",), specs)
    failed = storage.ledger.claim("nobody", (Stage.CLONE,), 600)
    done = storage.ledger.claim("nobody", (Stage.CLONE,), 600)
    assert failed
    assert done
    storage.ledger.fail(
        failed, "network-down", "see that example.org is up, then retry"
    )
    storage.ledger.finish(done, Outcome())
    put_records(storage, RECORDS, task=done.id)
    return crawl


def put_records(
    storage: Storage, records: tuple[KernelRecord, ...], *, task: int = 0
) -> None:
    """Store kernels with their ports and builds."""
    commits: dict[tuple[str, str], list[KernelRecord]] = {}
    for record in records:
        repo = record.provenance.repo
        commits.setdefault((repo.label, repo.commit), []).append(record)
    for members in commits.values():
        repo = members[0].provenance.repo
        storage.index.put_commit(repo, "", "", task=task)
        storage.index.put_kernels(repo, [record.kernel for record in members])
        ports = [port for record in members for port in record.ports]
        builds = [build for record in members for build in record.builds]
        storage.index.put_ports(ports)
        storage.index.put_builds(builds)


def put_launched_record(storage: Storage) -> KernelRecord:
    """Store a kernel that came through cases which pass all that it takes, and return it."""
    record = make_launched_record()
    put_records(storage, (record,), task=7)
    suites = [suite for _, suite in record.suites]
    for buffer in (b for suite in suites for case in suite.cases for b in case.buffers):
        storage.blobs.put(BLOBS.get(buffer.content))
        storage.blobs.put(BLOBS.get(buffer.gold))
    storage.index.put_runs(record.runs, suites)
    return record


def rename(record: KernelRecord, name: str, **kernel: object) -> KernelRecord:
    """Return a record of a kernel with another name and other values."""
    changed = replace(record.kernel, name=name, qualified_name=name, **kernel)  # type: ignore[arg-type]
    return replace(record, kernel=changed)


@contextmanager
def serving(home: Path, **settings: object) -> Iterator[tuple[TestClient, Storage]]:
    """Give a client of a page, and the store below it."""
    with open_storage(home) as storage:
        app = create_app(storage, Settings(home=home, **settings))  # type: ignore[arg-type]
        # this machine may be busy with other tests
        app.state.context.slow_values.patience_seconds = 60.0
        wrapped = SecurityHeaders(app)
        with TestClient(wrapped, follow_redirects=False) as client:
            yield client, storage


def log_in(client: TestClient, storage: Storage, name: str, role: str) -> None:
    """Begin a session of a person."""
    client.cookies.clear()
    token = storage.tokens.add(name, role)
    assert client.post("/login", data={"token": token}).status_code == 303


def read_csrf(client: TestClient, address: str = "/reviews") -> str:
    """Return the word that the forms of a page hold."""
    match = re.search(r'name="csrf" value="([^"]+)"', client.get(address).text)
    assert match, "no form of this page changes anything"
    return html.unescape(match[1])


def give(client: TestClient, unit: str, **form: str) -> int:
    """Give a verdict as whoever is logged in, and return the status of the answer."""
    csrf = read_csrf(client, f"/reviews/{unit}")
    answer = client.post(f"/reviews/{unit}", data={"csrf": csrf, **form})
    return answer.status_code
