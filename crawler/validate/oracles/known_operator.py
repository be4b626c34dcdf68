"""Check golden outputs against the operator of a library or a textbook that a kernel is named
after, as NumPy computes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler.model import (
    CaseKind,
    Kernel,
    KernelUnit,
    Oracle,
    Parameter,
    Suite,
)
from crawler.validate.oracle_interface import (
    MIN_AGREEING_CASES,
    FileReader,
    GoldenOracle,
    OracleAgreement,
    OracleExample,
)
from crawler.validate.values.blobs import Blobs

_UNSUITABLE_CASES: Final = (CaseKind.SPECIAL, CaseKind.FEW_BLOCKS, CaseKind.ONE_WARP)
"""Grids that leave work undone, and values for which each library has its own answer."""
_EXAMPLE: Final = """#include <kernelset/cuda.cuh>
__global__ void saxpy(int n, float a, const float* x, const float* y, float* z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = a * x[i] + y[i];
}
"""
_EXAMPLE_PARAMETERS: Final = (
    ("n", "int"),
    ("a", "float"),
    ("x", "const float *"),
    ("y", "const float *"),
    ("z", "float *"),
)


class _KnownOperator:
    name = "known_operator"
    order = 5
    """First: it compiles nothing."""

    def find_agreement(
        self,
        kernel: Kernel,
        unit: KernelUnit,
        suite: Suite,
        blobs: Blobs,
        read_file: FileReader,
        versions: Sequence[Kernel] = (),
    ) -> OracleAgreement | None:
        """Return how far the operator agrees that the kernel, or what calls it, is named after."""
        cases = [case for case in suite.cases if case.kind not in _UNSUITABLE_CASES]
        if len(cases) < MIN_AGREEING_CASES:
            return None

        # NumPy takes a while to be imported, and most of the program has no need of it
        from crawler.validate.known_operators.case_arrays import read_cases
        from crawler.validate.known_operators.name_words import list_names
        from crawler.validate.known_operators.search import find_operator

        arrays = read_cases(kernel, unit, cases, blobs)
        agreement = find_operator(list_names(kernel), arrays or ())
        if agreement is None:
            return None

        operator = agreement.operator
        return OracleAgreement(
            oracle=Oracle.LIBRARY,
            implementation=f"the {operator.name} ({operator.source})",
            agreeing_cases=agreement.agreeing_cases,
            differing_cases=agreement.differing_cases,
        )

    def make_example(self, kernel: Kernel, suite: Suite) -> OracleExample:
        """Return a kernel that BLAS has by its name."""
        if kernel.unit is None:
            return OracleExample()
        digest = hashlib.sha256(_EXAMPLE.encode()).hexdigest()
        unit = replace(
            kernel.unit,
            source=_EXAMPLE,
            kernel_name="saxpy",
            digest=digest,
            token_digest=digest,
            instantiations=(),
        )
        parameters = tuple(
            Parameter(name=name, type=type_name, canonical_type=type_name)
            for name, type_name in _EXAMPLE_PARAMETERS
        )
        example = replace(
            kernel,
            name="saxpy",
            qualified_name="saxpy",
            template_head="",
            template_parameters=(),
            parameters=parameters,
            instantiations=(),
            operators=(),
            unit=unit,
        )
        return OracleExample(kernel=example)


PLUGIN: Final[GoldenOracle] = _KnownOperator()
