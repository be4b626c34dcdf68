"""Read the shape off a call that makes a tensor."""

from __future__ import annotations

import re
from typing import Final

from crawler.validate.evidence.expressions.expression_tree import Call, Expression

_TENSOR_FACTORY: Final = re.compile(
    r"(?:^|::)(?:new_)?(?:empty|zeros|ones|full|rand|randn)$"
)
"""PyTorch's functions that make a tensor of the shape that is their first argument."""


def find_listed_extents(tree: Expression | None) -> tuple[Expression, ...] | None:
    """Return the extents that a tensor is made with, e.g. by `at::zeros({n, 3})`; `None` for
    what makes none of a shape that is written there.
    """
    if not isinstance(tree, Call) or not tree.arguments:
        return None
    if not _TENSOR_FACTORY.search(tree.callee):
        return None

    listed = tree.arguments[0]
    if not isinstance(listed, Call) or listed.callee != "{}":
        return None

    return tuple(listed.arguments)
