"""Stage `link`: merge the facts of a commit into kernels and kernel units."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from crawler.codec import decode, encode
from crawler.errors import NoKernels, ParseFailed
from crawler.extract.companions.attachment import attach_companions
from crawler.extract.companions.function_comments import attach_comments
from crawler.extract.describe.tags import tag_generated_kernels
from crawler.extract.link import link_commit
from crawler.extract.operators.host_code import attach_host_code
from crawler.extract.operators.operator_chain import attach_operators
from crawler.extract.parser_process.parent import extract_batch_facts
from crawler.extract.unit.orphan_files import find_orphan_commands, find_orphan_launches
from crawler.licences.detection import assign_licences
from crawler.model import CompileDatabase, Kernel, Launch, Repo, Span, UnitFacts
from crawler.port.author_ports import attach_author_ports
from storage.ledger.interface import Claim, Outcome, TaskSpec
from workers.tasks.cpu_batches import make_cpu_batches
from workers.tasks.payloads import BatchPayload, BatchResult, LinkPayload
from workers.tasks.port_tasks import list_unit_digests, make_port_tasks
from workers.tasks.task_specs import load_repo, repo_title, store_json
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from crawler.extract.link import LinkedCommit
    from storage.open import Storage


@dataclass(frozen=True, slots=True, kw_only=True)
class _BatchFacts:
    """What the batches of a commit showed, and how many of them ended without a result."""

    facts: tuple[UnitFacts, ...]
    batch_count: int
    lost_count: int


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Merge what the batches stored, and put the kernels with their licences into the index.

    A batch that failed takes nothing away: what an earlier version found in its files stays.
    Raises `ParseFailed`, and changes nothing, where all batches failed, or where some did and
    no kernel is known; `NoKernels` only where every batch showed that there is none.
    """
    payload = decode(claim.payload, LinkPayload)
    repo = load_repo(storage.blobs, payload.repo)
    database = decode(storage.blobs.get(payload.database), CompileDatabase)
    root = workspace.checkout(payload.snapshot, storage.blobs, database.generated)

    batches = _load_batch_facts(claim, storage, database)
    facts = (*batches.facts, *_extract_orphan_files(root, database, batches))
    linked = link_commit(facts)
    unlinked_launches = (
        *linked.launches,
        *find_orphan_launches(root, _list_read_files(facts)),
    )

    kernels = _describe_kernels(linked, root, repo, database)
    earlier_kernels: tuple[Kernel, ...] = ()
    if batches.lost_count:
        earlier_kernels = _find_earlier_kernels(storage, repo, kernels, batches)
    kernels = tuple(sorted([*kernels, *earlier_kernels], key=_place_in_commit))
    kernels = attach_author_ports(kernels)

    is_everything_lost = batches.lost_count == batches.batch_count
    if is_everything_lost or (batches.lost_count and not kernels):
        raise _describe_parse_failure(batches)

    storage.index.put_commit(repo, payload.snapshot, payload.database, task=claim.id)
    storage.index.put_kernels(repo, kernels)
    if not kernels:
        raise NoKernels(
            "no kernel is defined here, though `__global__` or a device file was seen"
        )

    unit_digests = list_unit_digests(kernels)
    children = _make_next_tasks(payload, storage, repo, kernels, unit_digests)
    result = {
        "kernels": len(kernels),
        "units": len(unit_digests),
        "kept": len(earlier_kernels),
        "lost": batches.lost_count,
        "launches_without_kernel": _count_reasons(unlinked_launches),
        "launches": "",
    }
    if unlinked_launches:
        result["launches"] = store_json(storage.blobs, unlinked_launches)
    return Outcome(children=tuple(children), result=encode(result).decode())


def _make_next_tasks(
    payload: LinkPayload,
    storage: Storage,
    repo: Repo,
    kernels: Sequence[Kernel],
    unit_digests: tuple[str, ...],
) -> list[TaskSpec]:
    """Return the task that ports the commit's units, and those that run them on a CPU."""
    title = repo_title(repo)
    tasks = make_port_tasks(
        unit_digests, payload.repo, payload.targets, storage.blobs, title
    )
    tasks += make_cpu_batches(
        kernels,
        payload.snapshot,
        storage.blobs,
        title,
        database=payload.database,
    )
    return tasks


def _count_reasons(launches: Sequence[Launch]) -> dict[str, int]:
    """Return how many launches have no kernel, by the reason without its details."""
    reasons: Counter[str] = Counter()
    for launch in launches:
        reason, _, _ = launch.reason.partition(":")
        reasons[reason] += 1

    return dict(reasons)


def _load_batch_facts(
    claim: Claim, storage: Storage, database: CompileDatabase
) -> _BatchFacts:
    """Return the facts of all batches, in the order of the database's entries.

    In which order the entries were parsed makes no difference to what is linked.
    """
    placed_facts: list[tuple[int, UnitFacts]] = []
    lost_count = len(database.groups)
    for encoded_payload, encoded_result in storage.ledger.children_results(claim):
        payload = decode(encoded_payload, BatchPayload)
        result = decode(encoded_result, BatchResult)
        batch_facts = decode(storage.blobs.get(result.facts), tuple[UnitFacts, ...])
        positions = database.groups[payload.group]
        placed_facts += zip(positions, batch_facts, strict=True)
        lost_count -= 1

    facts = [unit_facts for _, unit_facts in sorted(placed_facts, key=itemgetter(0))]
    return _BatchFacts(
        facts=tuple(facts),
        batch_count=len(database.groups),
        lost_count=lost_count,
    )


def _extract_orphan_files(
    root: Path, database: CompileDatabase, batches: _BatchFacts
) -> list[UnitFacts]:
    # a lost batch may have read what now looks like an orphan
    if batches.lost_count:
        return []
    commands = find_orphan_commands(root, database, _list_read_files(batches.facts))
    return list(extract_batch_facts(root, tuple(commands)))


def _list_read_files(facts: Sequence[UnitFacts]) -> set[str]:
    files: set[str] = set()
    for unit in facts:
        files.update(unit.files)

    return files


def _describe_kernels(
    linked: LinkedCommit, root: Path, repo: Repo, database: CompileDatabase
) -> tuple[Kernel, ...]:
    """Return the linked kernels with operators, host code, comments, licences and tags."""
    kernels = attach_operators(root, linked.kernels)
    kernels = attach_host_code(root, kernels)
    kernels = attach_companions(root, kernels)
    kernels = attach_comments(root, kernels)
    kernels = assign_licences(kernels, root, repo.licence)

    generated_paths = {file.path for file in database.generated}
    return tag_generated_kernels(kernels, generated_paths)


def _place_in_commit(kernel: Kernel) -> tuple[str, int]:
    return kernel.span.path, kernel.span.offset


def _find_earlier_kernels(
    storage: Storage, repo: Repo, linked: Sequence[Kernel], batches: _BatchFacts
) -> tuple[Kernel, ...]:
    """Return what the index has of the commit at places that no batch of this time showed."""
    spans_by_path: dict[str, list[Span]] = defaultdict(list)
    for kernel in linked:
        spans_by_path[kernel.span.path].append(kernel.span)
    parsed_files = {unit.command.file for unit in batches.facts}

    earlier_kernels = []
    for record in storage.index.records(f'commit = "{repo.commit}"'):
        kernel = record.kernel
        path = kernel.span.path
        if path in parsed_files:
            continue
        if not _is_same_commit(record.provenance.repo, repo):
            continue

        is_found_again = any(map(kernel.span.overlaps, spans_by_path[path]))
        if not is_found_again:
            earlier_kernels.append(kernel)

    return tuple(earlier_kernels)


def _is_same_commit(first: Repo, second: Repo) -> bool:
    # a folder and a package may share a name, and an archive and its folder a commit
    return _identify(first) == _identify(second)


def _identify(repo: Repo) -> tuple[str, str, str, str]:
    return repo.source, repo.owner, repo.name, repo.commit


def _describe_parse_failure(batches: _BatchFacts) -> ParseFailed:
    is_partial = batches.lost_count < batches.batch_count
    rest = ", and the others define no kernel" if is_partial else ""

    return ParseFailed(
        f"{batches.lost_count} of {batches.batch_count} batches of files could not be parsed"
        f"{rest}: `kernelset failures` says why; mend that, then `kernelset retry`"
    )
