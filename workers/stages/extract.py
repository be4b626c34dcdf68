"""extract: a batch of files becomes the facts that each of them showed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.extract.batch import extract
from crawler.model import CompileDatabase
from storage.ledger import Claim, Outcome
from workers.stages.payloads import BatchPayload, BatchResult
from workers.stages.tasks import keep
from workers.workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Store what the group's files showed as one blob; a file that could not be parsed says so in its facts."""
    payload = decode(claim.payload, BatchPayload)
    database = decode(storage.blobs.get(payload.database), CompileDatabase)
    entries = database.entries
    commands = [entries[position] for position in database.groups[payload.group]]
    facts = tuple(extract(workspace.checkout(payload.snapshot, storage.blobs), commands))
    result = BatchResult(
        facts=keep(storage.blobs, facts), units=len(facts), kernels=sum(len(unit.kernels) for unit in facts)
    )
    return Outcome(result=encode(result).decode())
