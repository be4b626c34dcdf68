"""Interface of port rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from crawler.cpp.masked.masked_source import MaskedSource


class RuleEdit(NamedTuple):
    """A replacement in the text that a rule reads, and how the report names it.

    Of a change in a report the line alone is missing: the rewrite counts it in the text that was
    ported, whatever earlier rules have done to that.
    """

    start: int
    end: int
    replacement: str
    rule: str
    """Slug of the change in the report."""
    before: str
    after: str


class PortRule(Protocol):
    """One rule from CUDA to HIP; one file each in `crawler.port.passes`, which ends with
    `PLUGIN: Final[PortRule]`. One attribute is optional: `example`, a text that the rule
    changes, closed in itself, for its contract suite.

    The rules of one `order` read the same text and make one pass over it. Comments and the
    contents of literals stay as they are, but for what an edit replaces as a whole, such as an
    `asm` statement with its strings.
    """

    name: str
    order: int
    """Lower orders come first; their result is what higher ones read.

    Below 20 a rule only lays CUDA out anew: the preprocessor leaves the same tokens.
    """
    keeps_lines: bool
    """Whether every edit has as many line ends as the text that it replaces."""

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        """Yield replacements within `source` that do not overlap one another.

        A source that is no whole file was cut out of what CUDA's compiler sees. In a whole file
        the rule finds nothing in what it has written itself. Any text is accepted, also one that
        no compiler takes.
        """
        ...
