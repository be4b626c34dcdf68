"""Find the kernels that exported ones name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.dataset.selection.select_records import admit_counterpart
from storage.interfaces import Place
from storage.places import find_record

if TYPE_CHECKING:
    from crawler.dataset.interface import RecordFinder
    from crawler.dataset.selection.admission import Admission
    from crawler.model import KernelRecord, Repo, Span
    from storage.interfaces import KernelIndex


def make_record_finder(index: KernelIndex, admission: Admission) -> RecordFinder:
    """Return what finds a kernel of the index that a dataset may take, redacted."""

    def find(repo: Repo, span: Span) -> KernelRecord | None:
        place = Place(repo.label, repo.commit, span.path, span.offset)
        record = find_record(index, place)
        return admit_counterpart(record, admission) if record else None

    return find
