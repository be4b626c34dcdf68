"""What a crawler lists of a GitHub."""

from __future__ import annotations

from crawler.sources.options import SourceOptions
from crawler.sources.providers.github import PLUGIN

KERNEL = "__global__ void k(float* x) { x[0] = 1; }\n"


def names(terms: SourceOptions, locator: str = "github:waves") -> list[str]:
    return [repo.name for repo in PLUGIN.list(locator, terms)]
