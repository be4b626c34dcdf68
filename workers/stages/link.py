"""Stage `link`: merge the facts of a commit into kernels and kernel units."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.errors import NoKernels, ParseFailed
from crawler.extract.describe.tags import tag_generated_kernels
from crawler.extract.link import link_commit
from crawler.extract.operators.host_code import attach_host_code
from crawler.extract.operators.operator_chain import attach_operators
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.extract.unit.orphan_files import find_orphan_commands, find_orphan_launches
from crawler.licences.detection import assign_licences
from crawler.model import CompileDatabase, Kernel, Repo, Span, UnitFacts
from storage.ledger.interface import Claim, Outcome, Stage
from workers.tasks.cpu_batches import make_cpu_batches
from workers.tasks.payloads import BatchResult, LinkPayload, PortPayload
from workers.tasks.task_specs import load_repo, make_task_spec, repo_title, store_json
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Merge what the batches stored, and put the kernels with their licences into the index.

    A batch that failed takes nothing away: what an earlier version found in its files stays.
    Raises `ParseFailed`,
    and changes nothing, where all of them failed, or some did and nothing is known; `NoKernels`
    only where all showed
    that there is none.
    """
    payload = decode(claim.payload, LinkPayload)
    repo = load_repo(storage.blobs, payload.repo)
    database = decode(storage.blobs.get(payload.database), CompileDatabase)
    root = workspace.checkout(payload.snapshot, storage.blobs, database.generated)
    seen = _seen(claim, storage, len(database.groups))
    unread = (
        find_orphan_commands(root, database, _read(seen.facts)) if not seen.lost else ()
    )
    facts = (*seen.facts, *extract_batch_facts(root, tuple(unread)))
    merged = link_commit(facts)
    without = (*merged.launches, *find_orphan_launches(root, _read(facts)))
    shown = assign_licences(
        attach_host_code(root, attach_operators(root, merged.kernels)),
        root,
        repo.licence,
    )
    shown = tag_generated_kernels(shown, {file.path for file in database.generated})
    kept = _kept(storage, repo, shown, seen) if seen.lost else ()
    kernels = tuple(
        sorted(
            (*shown, *kept), key=lambda kernel: (kernel.span.path, kernel.span.offset)
        )
    )
    if seen.lost == seen.batches or (seen.lost and not kernels):
        raise _nothing_known(seen)
    storage.index.put_commit(repo, payload.snapshot, payload.database, task=claim.id)
    storage.index.put_kernels(repo, kernels)
    if not kernels:
        raise NoKernels(
            "no kernel is defined here, though `__global__` or a device file was seen"
        )
    units = tuple(sorted({kernel.unit.digest for kernel in kernels if kernel.unit}))
    following = PortPayload(
        repo=payload.repo,
        units=store_json(storage.blobs, units),
        targets=payload.targets,
    )
    result = {
        "kernels": len(kernels),
        "units": len(units),
        "kept": len(kept),
        "lost": seen.lost,
        "launches_without_kernel": dict(
            Counter(launch.reason.partition(":")[0] for launch in without)
        ),
        "launches": store_json(storage.blobs, without) if without else "",
    }
    children = (
        (make_task_spec(Stage.PORT, following, repo_title(repo)),) if units else ()
    )
    runs = make_cpu_batches(kernels, payload.snapshot, storage.blobs, repo_title(repo))
    return Outcome(children=(*children, *runs), result=encode(result).decode())


def _read(facts: Sequence[UnitFacts]) -> set[str]:
    return {path for unit in facts for path in unit.files}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What the batches of a commit showed, and how many of them ended without showing anything."""

    facts: tuple[UnitFacts, ...]
    batches: int
    lost: int


def _seen(claim: Claim, storage: Storage, batches: int) -> _Seen:
    done = [
        decode(result, BatchResult).facts
        for _, result in storage.ledger.children_results(claim)
    ]
    facts = chain.from_iterable(
        decode(storage.blobs.get(each), tuple[UnitFacts, ...]) for each in done
    )
    return _Seen(facts=tuple(facts), batches=batches, lost=batches - len(done))


def _kept(
    storage: Storage, repo: Repo, linked: Sequence[Kernel], seen: _Seen
) -> tuple[Kernel, ...]:
    """Return what the index has of the commit at places that no batch of this time showed."""
    shown: dict[str, list[Span]] = defaultdict(list)
    for kernel in linked:
        shown[kernel.span.path].append(kernel.span)
    records = storage.index.records(f'commit = "{repo.commit}"')
    known = (record.kernel for record in records if _same(record.provenance.repo, repo))
    files = {unit.command.file for unit in seen.facts}
    unseen = (kernel for kernel in known if kernel.span.path not in files)
    return tuple(
        kernel
        for kernel in unseen
        if not any(map(kernel.span.overlaps, shown[kernel.span.path]))
    )


def _same(one: Repo, other: Repo) -> bool:
    # a folder and a package may share a name, and an archive and its folder a commit
    return (one.source, one.owner, one.name, one.commit) == (
        other.source,
        other.owner,
        other.name,
        other.commit,
    )


def _nothing_known(seen: _Seen) -> ParseFailed:
    others = ", and the others define no kernel" if seen.lost < seen.batches else ""
    return ParseFailed(
        f"{seen.lost} of {seen.batches} batches of files could not be parsed{others}: `kernelset failures` says why; "
        "mend that, then `kernelset retry`"
    )
