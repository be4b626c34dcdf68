"""Memory of PyTorch's tensors and Thrust's vectors, by how the host makes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from typing import Final

from crawler.cpp.brackets import closing_token
from crawler.cpp.lexer import Token
from crawler.validate.evidence.allocations.allocation import (
    PARAMETER_ELEMENT,
    UNINITIALISED,
    Allocation,
)
from crawler.validate.evidence.allocations.host_words import (
    find_mentions,
    is_reassigned,
)
from crawler.validate.evidence.expressions.expression import parse_expression
from crawler.validate.evidence.expressions.expression_tree import (
    Call,
    Expression,
    Name,
    Number,
    Operation,
)

_DATA_METHODS: Final = frozenset(
    {"data_ptr", "mutable_data_ptr", "const_data_ptr", "data"}
)
_SHAPE_METHODS: Final = ("size", "sizes", "numel", "dim", "ndimension", "element_size")
_LAYOUT_METHODS: Final = ("stride", "strides", "is_contiguous", "defined", "options")
_TYPE_METHODS: Final = (
    "scalar_type",
    "dtype",
    "type",
    "device",
    "get_device",
    "is_cuda",
)
_ASKING_METHODS: Final = frozenset((*_SHAPE_METHODS, *_LAYOUT_METHODS, *_TYPE_METHODS))
"""Methods of a tensor that leave it as it is."""
_ACCESSOR_METHODS: Final = frozenset(
    {"packed_accessor", "packed_accessor32", "packed_accessor64"}
)
"""Methods that give a pointer with its shape: see PyTorch, `TensorBase::packed_accessor`."""
_FACTORIES: Final = {"empty": UNINITIALISED, "zeros": 0}
"""What the bytes of a tensor are that a factory of this name makes."""
_SHAPED_FACTORIES: Final = frozenset(
    {"empty", "zeros", "ones", "full", "rand", "randn"}
)
_SHAPE_KEEPING_METHODS: Final = frozenset(
    {"contiguous", "clone", "detach", "to", "cuda", "float", "half", "toType"}
)
"""Methods that give a tensor of as many elements, and perhaps the same one."""
_NAMESPACES: Final = ("torch::", "at::", "new_")
_RETURN_SIGNS: Final = frozenset(("{", "}", "(", ")", ",", "::"))
_TUPLE_MAKERS: Final = frozenset({"make_tuple", "make_pair", "tuple", "pair", "tie"})
# what is left of a call's text is no more than one list of template arguments
_TEMPLATE_ARGUMENT: Final = re.compile(r"<([\w:]+)>\(\)$")
_MAX_STEPS: Final = 8


class TensorReader:
    """Reads what the words before a launch say of tensors.

    Of `counted_tensors` the host asks how many elements they have.
    """

    def __init__(
        self,
        words: Sequence[Token],
        definitions: Mapping[str, str],
        conditions: Sequence[Expression],
        counted_tensors: Set[str],
    ) -> None:
        self._counted_tensors = counted_tensors
        self._words = words
        self._definitions = definitions
        self._conditions = conditions

    def find_tensor_allocation(self, argument: Expression) -> Allocation | None:
        """Return the memory of `x.data_ptr<float>()`, of an accessor, or of a name for one."""
        alias = ""
        for _ in range(_MAX_STEPS):
            if not isinstance(argument, Name) or argument.text not in self._definitions:
                break

            alias = argument.text
            definition = parse_expression(self._definitions[alias])
            if definition is None:
                return None

            argument = definition

        if not isinstance(argument, Call) or not argument.receiver.isidentifier():
            return None

        tensor = argument.receiver
        if argument.callee in _ACCESSOR_METHODS:
            # of a tensor that the host was given the accessor itself holds the shape
            is_made_here = self._find_factory(tensor) is not None
            size = self._count_elements(tensor) if is_made_here else None
            return Allocation(
                size=size,
                element_type=PARAMETER_ELEMENT,
                fill_byte=self._find_fill_byte(tensor, alias),
            )

        if argument.callee not in _DATA_METHODS:
            return None

        size = self._count_elements(tensor)
        if size is None:
            return None

        element = _TEMPLATE_ARGUMENT.search(argument.text)
        return Allocation(
            size=size,
            element_type=element[1] if element else PARAMETER_ELEMENT,
            fill_byte=self._find_fill_byte(tensor, alias),
        )

    def _count_elements(
        self, tensor: str, steps: int = _MAX_STEPS
    ) -> Expression | None:
        """Return how many elements a tensor has, as its factory or the host's questions tell."""
        factory = self._find_factory(tensor)
        if factory is None or steps == 0:
            return self._count_asked_elements(tensor)

        callee = _strip_namespaces(factory.callee)
        if callee in _SHAPE_KEEPING_METHODS and factory.receiver.isidentifier():
            return self._count_elements(factory.receiver, steps - 1)

        first = factory.arguments[0] if factory.arguments else None
        if callee.endswith("_like"):
            if not isinstance(first, Name) or not first.text.isidentifier():
                return None
            return self._count_elements(first.text, steps - 1)
        if callee not in _SHAPED_FACTORIES:
            return None

        if isinstance(first, Call) and first.callee == "{}":
            return _multiply(first.arguments)
        if isinstance(first, Call) and first.callee == "sizes":
            return self._count_elements(first.receiver, steps - 1)

        return first if isinstance(first, Name | Operation) else None

    def _find_factory(self, tensor: str) -> Call | None:
        """Return the call that makes a tensor; `None` where it is then made another one."""
        definition = self._definitions.get(tensor)
        definitions = find_mentions(self._words, tensor, 0)[:1]
        if definitions and is_reassigned(self._words, tensor, definitions[0] + 1):
            return None

        tree = parse_expression(definition) if definition else None
        return tree if isinstance(tree, Call) else None

    def _count_asked_elements(self, tensor: str) -> Expression | None:
        """Return the elements of a tensor that the host was given: what it says of all axes."""
        if tensor in self._definitions and not self._keeps_shape(tensor):
            return None

        rank = self._find_rank(tensor)
        if rank is None and tensor in self._counted_tensors:
            return Call("numel", (), f"{tensor}.numel()", tensor)
        if rank is None:
            return None

        return _multiply(
            [
                Call("size", (Number(axis),), f"{tensor}.size({axis})", tensor)
                for axis in range(rank)
            ]
        )

    def _keeps_shape(self, tensor: str) -> bool:
        """Tell whether a tensor is only made another one of its shape: `x = x.contiguous();`."""
        texts = [word.text for word in self._words]
        for position in find_mentions(self._words, tensor, 0):
            # a text may end with the tensor's name
            if texts[position + 1 : position + 2] != ["="]:
                continue
            value = texts[position + 2 : position + 6]
            if value[:2] != [tensor, "."] or value[3:] != ["("]:
                return False
            if value[2] not in _SHAPE_KEEPING_METHODS:
                return False

            closing = closing_token(self._words, position + 5, len(self._words))
            if closing < 0 or texts[closing + 1 : closing + 2] != [";"]:
                return False

        return True

    def _find_rank(self, tensor: str) -> int | None:
        """Return how many axes the host asserts that a tensor has."""
        for condition in self._conditions:
            if not isinstance(condition, Operation) or condition.sign != "==":
                continue

            asked_call, rank = condition.operands
            if (
                isinstance(asked_call, Call)
                and asked_call.callee in ("dim", "ndimension")
                and asked_call.receiver == tensor
                and isinstance(rank, Number)
            ):
                return int(rank.value)

        return None

    def _find_fill_byte(self, tensor: str, alias: str) -> int | None:
        """Return what the bytes of a tensor are that nothing is done with before the launch."""
        factory = self._find_factory(tensor)
        if factory is None:
            return None

        callee = _strip_namespaces(factory.callee).removesuffix("_like")
        for position in find_mentions(self._words, tensor, 0):
            if not self._is_harmless(position, alias):
                return None

        return _FACTORIES.get(callee)

    def _is_harmless(self, position: int, alias: str) -> bool:
        """Tell whether a mention of a tensor is its definition, a question, or its pointer's."""
        near_words = self._words[max(0, position - 2) : position + 3]
        texts = [word.text for word in near_words]
        before = texts[: min(2, position)]
        behind = texts[len(before) + 1 :]
        if behind[:1] == ["="]:
            return True
        if before == [alias, "="]:
            return True
        if self._is_returned(position):
            return True

        return (
            behind[:1] == ["."] and behind[1:2] != [] and behind[1] in _ASKING_METHODS
        )

    def _is_returned(self, position: int) -> bool:
        """Tell whether a mention stands in `return y;`, `return {x, y};` or the like: where that is
        reached, the launch is not.
        """
        follower = self._words[position + 1 : position + 2]
        if not follower or follower[0].text not in _RETURN_SIGNS | {";"}:
            return False

        behind = self._words[position].text
        for word in reversed(self._words[:position]):
            if word.text == "return":
                return True
            # other calls may change what they are given, and a lambda may return that
            is_plain = word.text.isidentifier() and behind != "("
            if not is_plain and word.text not in _TUPLE_MAKERS | _RETURN_SIGNS:
                return False
            behind = word.text

        return False


def _strip_namespaces(callee: str) -> str:
    for prefix in _NAMESPACES:
        callee = callee.removeprefix(prefix)
    return callee


def _multiply(factors: Sequence[Expression]) -> Expression | None:
    if not factors:
        return None

    product = factors[0]
    for factor in factors[1:]:
        product = Operation("*", (product, factor))

    return product
