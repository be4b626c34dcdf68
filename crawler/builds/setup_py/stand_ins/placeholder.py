"""Object that stands for any attribute of a missing library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

CUDA_HOME: Final = "/opt/cuda"
KNOWN_ATTRIBUTES: Final[dict[str, Any]] = {}
"""What is more than anything, by its full name; filled by `known`."""
LIBRARY_VERSIONS: Final[dict[str, str]] = {}
"""The version that a library says to have; any other has `NEWEST`."""
NEWEST_VERSION: Final = "99.0.0"
_ELSEWHERE: Final = re.compile(
    r"(?:^|[._])(?:ipex|xpu|npu|mlu|musa|sdaa|gcu|supa|xla|tpu|hpu|mps|mtia|maia|klxpu|xmlir|oneccl)(?:$|[._])"
    r"|habana|intel_extension|neuron|directml"
)
_PRESENCE: Final = re.compile(r"is_|has_|device_count$")
PLACEHOLDER_BASES: Final[list[type]] = []
"""What a class has for a base that is derived from anything."""


def resolve_attribute(path: str, name: str) -> Any:
    """Return what `path.name` is."""
    if name == "__version__":
        return LIBRARY_VERSIONS.get(path.partition(".")[0], NEWEST_VERSION)
    found = f"{path}.{name}"
    if found in KNOWN_ATTRIBUTES:
        return KNOWN_ATTRIBUTES[found]
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    if _PRESENCE.match(name) and is_other_device(found):
        return lambda *_, **__: 0
    return Placeholder(found)


def is_other_device(path: str) -> bool:
    """Tell whether a name is about a device that is neither a CUDA nor a ROCm one."""
    return bool(_ELSEWHERE.search(path))


class Placeholder:
    """Answers to every name and call, compares as something new, and iterates over nothing."""

    def __init__(self, path: str = "") -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        return resolve_attribute(self._path, name)

    def __call__(self, *_: object, **__: object) -> Any:
        """Answer with anything."""
        return Placeholder()

    def __mro_entries__(self, _: tuple[type, ...]) -> tuple[type, ...]:
        return tuple(PLACEHOLDER_BASES)

    def __getitem__(self, _: object) -> Any:
        return Placeholder()

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return NEWEST_VERSION

    def __repr__(self) -> str:
        return repr(NEWEST_VERSION)

    def __fspath__(self) -> str:
        return CUDA_HOME

    def __int__(self) -> int:
        return 99

    def __eq__(self, _: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0

    def __lt__(self, _: object) -> bool:
        return False

    def __le__(self, _: object) -> bool:
        return False

    def __gt__(self, _: object) -> bool:
        return True

    def __ge__(self, _: object) -> bool:
        return True

    def __add__(self, other: object) -> Any:
        return other

    __radd__ = __add__

    def __mul__(self, other: object) -> Any:
        return other

    __rmul__ = __sub__ = __rsub__ = __truediv__ = __floordiv__ = __mod__ = __mul__

    def __float__(self) -> float:
        return 99.0

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None: ...
