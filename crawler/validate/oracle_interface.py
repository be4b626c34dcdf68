"""Interface of oracles: independent places that golden outputs are checked against."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from crawler.model import Kernel, KernelUnit, Oracle, Suite
from crawler.validate.values.blobs import Blobs

MIN_AGREEING_CASES: Final = 3
"""Cases in which an oracle must give the kernel's outputs."""

FileReader = Callable[[str], str | None]
"""Gives the text of a file of the project by its path, `None` where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleAgreement:
    """In which cases an independent implementation gives what the kernel gives."""

    oracle: Oracle
    implementation: str
    """What gave the outputs, as a message names it: "`blur_cpu` of the project"."""
    agreeing_cases: tuple[str, ...]
    differing_cases: tuple[str, ...]

    @property
    def is_conclusive(self) -> bool:
        """Tell whether it speaks for the golden outputs."""
        if self.differing_cases:
            return False
        return len(self.agreeing_cases) >= MIN_AGREEING_CASES


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleExample:
    """What a project has beside a kernel, by which an oracle speaks for it."""

    files: Mapping[str, str] = field(default_factory=dict)
    """Texts by their paths, in place of the project's."""
    versions: tuple[Kernel, ...] = ()
    """Other kernels of the project that take the same."""
    kernel: Kernel | None = None
    """What it speaks for in place of the contract suite's kernel, where it knows what some names
    mean and needs nothing beside them.
    """


class GoldenOracle(Protocol):
    """One independent way to compute a kernel's outputs; one file each in
    `crawler.validate.oracles`, which ends with `PLUGIN: Final[GoldenOracle]`.
    """

    name: str
    order: int
    """The lower order is asked first; a conclusive agreement ends the search."""

    def find_agreement(
        self,
        kernel: Kernel,
        unit: KernelUnit,
        suite: Suite,
        blobs: Blobs,
        read_file: FileReader,
        versions: Sequence[Kernel] = (),
    ) -> OracleAgreement | None:
        """Return how far the golden outputs of `suite` agree with this oracle's.

        `versions` are other kernels of the project that take the same and are written otherwise.

        `None` says that it abstains: it has no implementation that takes what the kernel takes,
        or none that can be run here. Cases that it cannot judge are in neither list: those in
        which the implementation does not end, leaves most of the outputs alone, or that are
        undefined for either side. An agreement without `differing_cases` is no more than a lack
        of evidence until it is conclusive.
        """
        ...

    def make_example(self, kernel: Kernel, suite: Suite) -> OracleExample:
        """Return what makes this oracle conclusive about `kernel`, for its contract suite.

        That kernel is `template <typename T> scale(int n, const T* input, T* output)`, which sets
        each of `n` outputs to twice its input and one more. It is used with `float` alone, and
        its operator names `scale_cpu` in `src/scale_cpu.cpp` as what serves a CPU. `suite` has
        the outputs that its cases ought to have.
        """
        ...
