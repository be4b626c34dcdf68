"""Split a dataset by families of repositories, the same way every time."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final

from crawler.errors import Misconfigured
from crawler.similarity.repository_families import RepositoryFamilies

DEFAULT_SPLITS: Final = "train=0.9,validation=0.05,test=0.05"
WHOLE: Final = "train"
"""The only split of a dataset that is not split."""
# the name of a split, as a user types it
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_HASH_BITS: Final = 64


@dataclass(frozen=True, slots=True)
class SplitShares:
    """How large the splits of a dataset are to be."""

    shares: tuple[tuple[str, float], ...]
    """(name, share of all families); the shares sum to 1."""
    seed: int = 0
    """Another seed gives other splits of the same sizes."""

    def choose_split(self, family: str) -> str:
        """Return the split of a family of repositories.

        It depends on the family's name, the seed and the shares alone: whatever else is crawled,
        a family stays where it is.
        """
        digest = hashlib.sha256(f"{self.seed}\0{family}".encode()).digest()
        number = int.from_bytes(digest[: _HASH_BITS // 8], "big")
        position = number / 2**_HASH_BITS
        end = 0.0
        for name, share in self.shares:
            end += share
            if position < end:
                return name

        # the sum of the shares may be rounded to less than 1
        return self.shares[-1][0]


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """Which split each kernel of an index is in."""

    shares: SplitShares
    families: RepositoryFamilies

    def choose_split(self, repo: str, near_cluster: str) -> str:
        """Return the split of a kernel; all near copies of it are in the same."""
        family = self.families.find_family(repo, near_cluster)
        return self.shares.choose_split(family)


def parse_split_shares(text: str, seed: int = 0) -> SplitShares:
    """Return the splits that `train=0.9,test=0.1` names; raises `Misconfigured` (`bad-splits`)
    for shares that are not positive or do not sum to 1.
    """
    shares: list[tuple[str, float]] = []
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition("="))
        try:
            share = float(number)
        except ValueError:
            share = 0.0

        is_new = name not in dict(shares)
        if not (_NAME.fullmatch(name) and is_new and 0 < share <= 1):
            raise _bad_splits(f"`{part.strip()}` is no split")
        shares.append((name, share))

    total = sum(share for _, share in shares)
    if abs(total - 1) > 1e-6:
        raise _bad_splits(f"the shares sum to {total:g}, not to 1")

    return SplitShares(tuple(shares), seed)


def _bad_splits(problem: str) -> Misconfigured:
    return Misconfigured(
        f"{problem}: give names in lower case with their shares, as in {DEFAULT_SPLITS}",
        code="bad-splits",
    )
