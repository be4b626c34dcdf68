"""A class that stands for a lambda, as a declaration of the project."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from crawler.extract.clang.declarations import Declaration
from crawler.model import Span


@dataclass(kw_only=True, eq=False)
class LambdaDeclaration(Declaration):
    """A class that stands for a lambda, whose text is `source`.

    Its `cursor` is the function that the lambda stands in: no class of the unit has this text.
    """

    lambda_span: Span
    """Where the lambda stands."""
    enclosing: Declaration
    """What the lambda stands in."""
    required: tuple[LambdaDeclaration, ...]
    """The lambdas that it holds."""

    @property
    def span(self) -> Span:
        """Where the lambda stands: what its licence and its origin go by."""
        return self.lambda_span

    @cached_property
    def raw_text(self) -> str:
        """Its text."""
        return self.source.raw

    @cached_property
    def _extent(self) -> tuple[int, int]:
        return 0, len(self.source.raw)

    @cached_property
    def is_usable_on_device(self) -> bool:
        """Whether device code may use it."""
        return True
