"""Sign texts of kernels, so that nearly equal ones are found without comparing all with all."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from operator import eq
from typing import Final

from rensa import RMinHash

from crawler.cpp.masked.token_digest import digest_tokens, list_significant_tokens

PERMUTATIONS: Final = 128
"""Hashes in a signature; an estimate from them is off by 0.03 (one standard deviation) at 0.85."""
_TOKENS_PER_SHINGLE: Final = 5
_SEED: Final = 1
_HASH_TYPE: Final = "I"
"""32 bits without a sign, as `array` calls them."""
SIGNATURE_VERSION: Final = (
    f"rminhash-{RMinHash.ALGORITHM_VERSION}/{PERMUTATIONS}/{_TOKENS_PER_SHINGLE}"
)
"""Signatures of different versions do not compare."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What the text of a kernel is recognised by."""

    name: str
    """Of the kernel, without namespaces and template arguments."""
    digest: str
    """sha256 over its name and its significant tokens: the same for texts that differ in layout
    and comments only.
    """
    minhash: bytes
    """MinHash of its shingles, four bytes a permutation."""


def sign_definitions(definitions: Iterable[tuple[str, str]]) -> list[Signature]:
    """Return the signatures of (name, text) of kernels in their order."""
    names: list[str] = []
    digests: list[str] = []
    shingles_by_text: list[list[bytes]] = []
    for name, text in definitions:
        tokens = list_significant_tokens(text)
        names.append(name)
        # a kernel that a macro makes may have its name from elsewhere
        digests.append(digest_tokens([name, *tokens]))
        shingles_by_text.append(_cut_shingles(tokens))

    hashes = RMinHash.digests_from_token_sets(shingles_by_text, PERMUTATIONS, _SEED)
    return [
        Signature(name, digest, array(_HASH_TYPE, row).tobytes())
        for name, digest, row in zip(names, digests, hashes, strict=True)
    ]


def estimate_similarity(first: bytes, other: bytes) -> float:
    """Return the estimated Jaccard similarity of what two MinHashes were made of, 0 to 1."""
    own_hashes = memoryview(first).cast(_HASH_TYPE)
    other_hashes = memoryview(other).cast(_HASH_TYPE)
    equal_count = sum(map(eq, own_hashes, other_hashes))
    return float(equal_count) / PERMUTATIONS


def _cut_shingles(tokens: list[str]) -> list[bytes]:
    """Return each run of consecutive tokens; a text that is shorter is one."""
    last_start = max(len(tokens) - _TOKENS_PER_SHINGLE, 0)
    shingles: list[bytes] = []
    for start in range(last_start + 1):
        shingle = "\0".join(tokens[start : start + _TOKENS_PER_SHINGLE])
        # a file that is not UTF-8 was read with surrogates
        shingles.append(shingle.encode("utf-8", "surrogateescape"))

    return shingles
