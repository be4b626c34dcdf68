"""Normalise what states a licence to an SPDX expression, and classify that."""

from __future__ import annotations

import re
from typing import Final

from license_expression import ExpressionError, get_spdx_licensing

from crawler.licences.tables import (
    COMMON_NAMES,
    COPYLEFT_PREFIXES,
    PERMISSIVE_LICENCES,
    RESTRICTED_PREFIXES,
)
from crawler.model import Licence, LicenceClass

UNKNOWN_SPDX: Final = "NOASSERTION"

_LICENSING: Final = get_spdx_licensing()
# an SPDX expression, whose operators are whole words in capitals
_AND: Final = re.compile(r"\bAND\b")
_OR: Final = re.compile(r"\bOR\b")


def parse_licence(stated: str, evidence: str) -> Licence:
    """Return the licence that `stated` names; an unknown one where it is no SPDX expression."""
    expression = COMMON_NAMES.get(stated.lower().strip(), stated)
    # the parser knows none of our own references
    validates = not expression.startswith("LicenseRef-")
    try:
        spdx = str(_LICENSING.parse(expression, validate=validates))
    except (ExpressionError, ValueError, TypeError):
        return Licence(evidence=f"{evidence} says something else: {expression[:80]}")

    return Licence(spdx=spdx, kind=classify_expression(spdx), evidence=evidence)


def classify_expression(spdx: str) -> LicenceClass:
    """Return the class: of a choice (OR) the most open one, of a sum (AND) the least."""
    choices = []
    for choice in _OR.split(spdx):
        classes = map(_classify_identifier, _AND.split(choice))
        choices.append(max(classes, key=openness_rank))

    return min(choices, key=openness_rank)


def openness_rank(kind: LicenceClass) -> int:
    """Return the place of a class in their order, the most open one first."""
    return list(LicenceClass).index(kind)


def _classify_identifier(identifier: str) -> LicenceClass:
    bare = identifier.strip(" ()").split(" WITH ")[0]
    if bare in PERMISSIVE_LICENCES:
        return LicenceClass.PERMISSIVE
    if bare.startswith(COPYLEFT_PREFIXES):
        return LicenceClass.COPYLEFT
    if bare.startswith(RESTRICTED_PREFIXES):
        return LicenceClass.RESTRICTED

    return LicenceClass.NONE
