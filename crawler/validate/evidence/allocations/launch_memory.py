"""Find what a launcher says of the memory behind each pointer that it passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crawler.validate.evidence.allocations.allocation import Allocation
from crawler.validate.evidence.allocations.device_memory import find_device_allocation
from crawler.validate.evidence.allocations.host_words import read_host_words
from crawler.validate.evidence.allocations.tensor_axes import find_counted_tensors
from crawler.validate.evidence.allocations.tensor_memory import TensorReader
from crawler.validate.evidence.allocations.thrust_vectors import find_vector_allocation
from crawler.validate.evidence.expressions.expression import parse_expression
from crawler.validate.evidence.expressions.expression_tree import Expression, Name


def find_allocations(
    text: str,
    host_texts: Sequence[str],
    arguments: Mapping[str, str],
    definitions: Mapping[str, str],
    conditions: Sequence[Expression],
) -> dict[str, Allocation]:
    """Return the memory that a launch passes, by parameter, as far as the host's text tells.

    `text` is the launcher up to the launch, and `host_texts` all of it; `arguments` are as
    written, by parameter.
    """
    words = read_host_words(text)
    counted_tensors = find_counted_tensors(host_texts)
    tensors = TensorReader(words, definitions, conditions, counted_tensors)
    allocations: dict[str, Allocation] = {}

    for parameter, argument in arguments.items():
        tree = parse_expression(argument)
        # `x + offset` is not all of `x`
        if tree is None:
            continue

        allocation = None
        if isinstance(tree, Name):
            allocation = find_device_allocation(words, tree.text)

        allocation = allocation or find_vector_allocation(words, tree)
        allocation = allocation or tensors.find_tensor_allocation(tree)
        if allocation is not None:
            allocations[parameter] = allocation

    return allocations
