"""Published form of a kernel's place, for rows that are about something else of the kernel."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.dataset.rows.row import compute_place_id
from crawler.model import KernelRecord, Licence, decide_review_state


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceRow:
    """Where the kernel of a row stands, and under which licence."""

    kernel: str
    """The `id` of the kernel's row in the view `kernels`."""
    name: str
    """Of the kernel, without namespaces and template arguments."""
    repository: str
    """`OWNER/NAME`, or the name alone where its source has no owners."""
    url: str
    """Where the repository is fetched from."""
    commit: str
    """The pinned content: a git commit id, or `sha256:…` of an archive or a folder's listing."""
    path: str
    """Of the file, relative to the repository's root."""
    line: int
    """The first one of the definition, from 1."""
    end_line: int
    """The last one, from 1."""
    licence: Licence
    """Of the file: its own header's, else its repository's."""
    cluster: str
    """What kernels share whose units have the same tokens; empty without a unit."""
    near_cluster: str
    """What kernels share whose own texts are nearly the same; empty for one without a text."""
    review: str
    """What people came to: `unreviewed`, `accepted`, `rejected`, `needs-work` or `disputed`."""
    redactions: dict[str, int]
    """Class of what was taken out of the kernel's texts, `email`, `aws-key`, …, to places."""


def to_place_row(record: KernelRecord) -> PlaceRow:
    """Return where a record's kernel stands."""
    repo, span = record.provenance.repo, record.kernel.span
    return PlaceRow(
        kernel=compute_place_id(record),
        name=record.kernel.name,
        repository=repo.label,
        url=repo.url,
        commit=repo.commit,
        path=span.path,
        line=span.line,
        end_line=span.end_line,
        licence=record.kernel.licence,
        cluster=record.cluster,
        near_cluster=record.near_cluster,
        review=decide_review_state(record.reviews).value,
        redactions=dict(record.redactions),
    )
