"""Write a release of a dataset, whole or as the difference to an earlier one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from workers.cli.terminal import escape_line, print_note

if TYPE_CHECKING:
    from crawler.dataset.interface import RowContext, View
    from crawler.dataset.releases.earlier_release import EarlierRelease, ReasonFinder
    from crawler.optouts import OptOuts
    from storage.open import Storage
    from workers.cli.exports.export import ExportJob

_MAX_NAME_CHARACTERS: Final = 100
_FORMAT: Final = "parquet"
_VANISHED: Final = "vanished"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRequest:
    """What the options of a release say."""

    name: str
    since: Path | None

    @classmethod
    def parse(cls, name: str, since: Path | None, form: str) -> Self | None:
        """Return the release that was asked for, if any; raises `Misconfigured`
        (`bad-options`, `bad-format`) for options that do not go together.
        """
        from crawler.errors import Misconfigured

        if not name:
            if since is None:
                return None
            raise Misconfigured(
                "--since is of a release: give its name with --release",
                code="bad-options",
            )

        if form not in ("", _FORMAT):
            raise Misconfigured(
                f"a release has files of {_FORMAT}: leave --format out",
                code="bad-format",
            )
        if len(name) > _MAX_NAME_CHARACTERS or not name.isprintable():
            raise Misconfigured(
                f"give a release a name of at most {_MAX_NAME_CHARACTERS} printable "
                "characters",
                code="bad-options",
            )
        return cls(name=name, since=since)


def export_release(
    storage: Storage, job: ExportJob, request: ReleaseRequest, context: RowContext
) -> int:
    """Write the release and return how many rows are in its files; raises `Misconfigured`
    (`bad-release`) for an earlier one that cannot be read, and (`bad-options`) for one that would
    be written over.
    """
    from crawler.dataset.cards.origin import DatasetOrigin
    from crawler.dataset.releases.write_release import ReleasePlan, write_release
    from crawler.dataset.rows.row import compute_place_id
    from crawler.dataset.selection.select_records import select_records

    _refuse_own_folder(request, job.destination)
    origin = context.origin or DatasetOrigin()
    # what is compared must not change while it is compared
    storage.index.group_copies()
    with _open_earlier(request, job.view) as earlier:
        plan = ReleasePlan(
            name=request.name,
            fingerprint=_compute_fingerprint(storage, job, request),
            options=job.options,
            earlier=earlier,
            find_reason=_make_reason_finder(storage, job.rules.admission.optouts),
        )
        records = select_records(
            storage.index,
            job.rules,
            origin.skip_counts,
            origin.split_plan,
            lambda record, reason: (
                earlier.note_reason(compute_place_id(record), reason.value)
                if earlier
                else None
            ),
        )
        manifest = write_release(job.view, records, job.destination, context, plan)

    if earlier:
        print_note(
            f"since {escape_line(earlier.name)}: {manifest.rows} rows are new or changed, "
            f"{manifest.tombstones} kernels have tombstones, {manifest.kernels} in all"
        )
    return manifest.rows


def _refuse_own_folder(request: ReleaseRequest, destination: Path) -> None:
    """Raise `Misconfigured` (`bad-options`) where a release is to replace its earlier one."""
    from crawler.errors import Misconfigured

    if request.since is None:
        return
    # a link to it is the same folder
    if request.since.resolve().is_relative_to(destination.resolve()):
        raise Misconfigured(
            f"{destination} has the release that --since names: give another folder",
            code="bad-options",
        )


@contextmanager
def _open_earlier(
    request: ReleaseRequest, view: View
) -> Iterator[EarlierRelease | None]:
    from crawler.dataset.releases.earlier_release import open_earlier_release

    if request.since is None:
        yield None
        return

    with open_earlier_release(request.since, view.schema_name) as earlier:
        yield earlier


def _compute_fingerprint(
    storage: Storage, job: ExportJob, request: ReleaseRequest
) -> str:
    """Return a digest of all that decides on the bytes of a release."""
    from importlib.metadata import version

    from crawler.dataset.destination import MARKER_FILE

    optouts = job.rules.admission.optouts
    since = (request.since / MARKER_FILE).read_bytes() if request.since else b""
    values = (
        version("kernelset"),
        storage.index.compute_fingerprint(),
        job.view.schema_name,
        job.depth.value,
        job.options,
        sorted(job.rules.admission.licence_classes),
        # a set has another order in each process
        [sorted(getattr(optouts, field.name)) for field in fields(optouts)],
        request.name,
        hashlib.sha256(since).hexdigest(),
    )
    return hashlib.sha256(repr(values).encode()).hexdigest()


def _make_reason_finder(storage: Storage, optouts: OptOuts) -> ReasonFinder:
    """Return what says why a kernel is not among those that were looked at."""
    from crawler.dataset.releases.earlier_release import make_repo
    from crawler.dataset.releases.release_files import ReleasedKernel
    from crawler.dataset.selection.skip_counts import SkipReason

    repos = {
        (repo.source, repo.owner, repo.name, repo.commit): repo
        for repo in storage.index.repos()
    }
    listed = storage.source_memory.listed_repositories(state=_VANISHED)
    vanished = {
        (record.repo.source, record.repo.owner, record.repo.name) for record in listed
    }

    def find_reason(kernel: ReleasedKernel) -> str:
        repository = kernel.source, kernel.owner, kernel.name
        repo = repos.get((*repository, kernel.commit))
        if optouts.covers_repository(repo or make_repo(kernel)):
            return SkipReason.OPTED_OUT.value
        if repo is None or repository in vanished:
            return _VANISHED

        newer = any(
            other[:3] == repository and other[3] != kernel.commit for other in repos
        )
        return "replaced" if newer else ""

    return find_reason
