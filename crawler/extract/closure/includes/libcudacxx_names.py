"""Tell libcu++'s namespace `cuda` from a namespace of a project that is called so."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from crawler.extract.clang.declarations import Declaration
from crawler.extract.closure.context.closure_members import is_namespace_alias

_CUDA: Final = "cuda"
# in code of a unit: `at::cuda::` is PyTorch's
_MEMBER: Final = re.compile(r"(?<![\w:])(?:::)?cuda::\s*(\w*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCudaNamespace:
    """What a project itself means by `cuda::`."""

    names: frozenset[str] = frozenset()
    """Those that it declares in a namespace of that name, whatever that stands in."""
    is_alias: bool = False
    """Whether it calls another namespace so, which may hold any name."""

    def leaves_libcudacxx(self, text: str) -> bool:
        """Tell whether some `cuda::` of a text can only be libcu++'s."""
        members = set(_MEMBER.findall(text))
        return not self.is_alias and not members <= self.names


def find_own_cuda_namespace(declarations: Collection[Declaration]) -> OwnCudaNamespace:
    """Return what the declarations of a project say of it."""
    return OwnCudaNamespace(
        names=frozenset(
            name
            for declaration in declarations
            if _CUDA in declaration.namespaces
            for name in (*declaration.names, *declaration.namespaces)
        ),
        is_alias=any(
            _CUDA in declaration.names
            for declaration in filter(is_namespace_alias, declarations)
        ),
    )
