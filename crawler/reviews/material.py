"""The texts that a reviewer judges."""

from __future__ import annotations

from dataclasses import dataclass

from crawler.model import ReviewedPart


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewMaterial:
    """A kernel as a reviewer sees it; a text is empty where there is none."""

    unit: str
    """Digest of the unit in the source's dialect."""
    name: str
    place: str
    """`OWNER/NAME PATH:LINE`."""
    verdicts: tuple[str, ...]
    """`sm_80: pass`, `cpu: consistent`: what compilers and runs say."""
    prompt: str
    """What a model would be given."""
    source: str
    """The unit as the project's code makes it."""
    port: str
    """The same in HIP."""
    tests: str
    """A program that tests it."""

    def texts(self) -> dict[ReviewedPart, str]:
        """Return the texts by what comments call them."""
        return {
            ReviewedPart.SOURCE: self.source,
            ReviewedPart.PORT: self.port,
            ReviewedPart.PROMPT: self.prompt,
            ReviewedPart.TESTS: self.tests,
        }
