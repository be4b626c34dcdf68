"""Group kernels whose texts are nearly the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from crawler.similarity.signature import (
    PERMUTATIONS,
    Signature,
    estimate_similarity,
)

NEAR_SIMILARITY: Final = 0.85
"""From this estimated Jaccard similarity of their shingles on kernels of one name are copies."""
RENAMED_SIMILARITY: Final = 0.95
"""The same for kernels of two names: the forward and the backward pass of an operator, `fused_gelu`
and `fused_relu` are more alike than 0.85, and are no copies.
"""
_BANDS: Final = 16
"""Two texts of similarity s share a band with probability 1 - (1 - s^8)^16: 0.99 at 0.85
(Leskovec, Rajaraman, Ullman: Mining of Massive Datasets, section 3.4).
"""
_BAND_BYTES: Final = PERMUTATIONS * 4 // _BANDS
_MAX_LEADERS: Final = 64
"""Texts of one band that a further one is compared with: bounds the time for hostile ones."""


def group_near_copies(signatures: Iterable[Signature]) -> dict[str, str]:
    """Return digest to cluster: the least digest among the kernels that near copies link.

    Copies of copies are linked, too. The result depends on the set alone, not on its order.
    """
    ordered = sorted(signatures, key=lambda signature: signature.digest)
    links = _Links(len(ordered))
    # one band at a time: the table of all would not fit into memory for millions
    for band in range(_BANDS):
        _link_within_band(band, ordered, links)

    return {
        signature.digest: ordered[links.find_root(position)].digest
        for position, signature in enumerate(ordered)
    }


def is_near_copy(first: Signature, other: Signature) -> bool:
    """Return whether two kernels count as copies of each other."""
    is_renamed = first.name != other.name
    needed = RENAMED_SIMILARITY if is_renamed else NEAR_SIMILARITY
    return estimate_similarity(first.minhash, other.minhash) >= needed


def shorten_cluster(near_cluster: str) -> bytes:
    """Return what tells a cluster from millions of others in half of its bytes."""
    return bytes.fromhex(near_cluster[:32])


def iter_bands(minhash: bytes) -> Iterator[bytes]:
    """Yield the parts of a MinHash, of which near copies have at least one in common."""
    for start in range(0, _BANDS * _BAND_BYTES, _BAND_BYTES):
        yield minhash[start : start + _BAND_BYTES]


class _Links:
    """A forest of linked positions, in which the root of each tree is its least position."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def find_root(self, position: int) -> int:
        parents = self._parents
        while parents[position] != position:
            # halve the path, so that it stays short
            parents[position] = parents[parents[position]]
            position = parents[position]
        return position

    def join(self, first: int, other: int) -> None:
        least, greatest = sorted((self.find_root(first), self.find_root(other)))
        self._parents[greatest] = least


def _link_within_band(
    band: int, signatures: Sequence[Signature], links: _Links
) -> None:
    start = band * _BAND_BYTES
    leaders_by_band: dict[bytes, list[int]] = {}

    for position, signature in enumerate(signatures):
        key = signature.minhash[start : start + _BAND_BYTES]
        leaders = leaders_by_band.get(key)
        if leaders is None:
            leaders_by_band[key] = [position]
        elif not _link_to_leaders(position, leaders, signatures, links):
            leaders.append(position)


def _link_to_leaders(
    position: int,
    leaders: Sequence[int],
    signatures: Sequence[Signature],
    links: _Links,
) -> bool:
    """Link a kernel with the `leaders` that it is a copy of, and tell whether there are any."""
    is_linked = len(leaders) >= _MAX_LEADERS
    for leader in leaders:
        if links.find_root(leader) == links.find_root(position):
            is_linked = True
        elif is_near_copy(signatures[leader], signatures[position]):
            links.join(leader, position)
            is_linked = True

    return is_linked
