"""Interface of the samples that were imported from the files of other programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from crawler.dataset.imported.sample import ImportedSample


class ImportedSamples(Protocol):
    """Samples in collections, one for each file that was imported."""

    def put(self, collection: str, samples: Iterable[ImportedSample]) -> int:
        """Replace a collection by `samples`, all of them or none, and return how many there were.

        Whatever `samples` raises is raised, and the collection stays as it was.
        """
        ...

    def count_samples(self) -> dict[str, int]:
        """Return the names of all collections, with how many samples each has."""
        ...

    def iter_failed(self, collection: str) -> Iterator[ImportedSample]:
        """Yield the samples of which something was run and did not pass, in their order."""
        ...
