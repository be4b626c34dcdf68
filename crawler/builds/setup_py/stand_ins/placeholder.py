"""Object that stands for any attribute of a missing library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

CUDA_HOME: Final = "/opt/cuda"
KNOWN_ATTRIBUTES: Final[dict[str, Any]] = {}
"""Attributes with a value of their own, by full name; `known_libraries` fills it."""
LIBRARY_VERSIONS: Final[dict[str, str]] = {}
"""The version that a library claims; any other library claims `NEWEST_VERSION`."""
NEWEST_VERSION: Final = "99.0.0"
PLACEHOLDER_BASES: Final[list[type]] = []
"""The bases of a class that a project derives from a placeholder."""
# Names of devices that are neither NVIDIA's nor AMD's, in a path such as `torch.xpu`.
_OTHER_DEVICE: Final = re.compile(
    r"(?:^|[._])(?:ipex|xpu|npu|mlu|musa|sdaa|gcu|supa|xla|tpu|hpu|mps|mtia|maia|klxpu"
    r"|xmlir|oneccl)(?:$|[._])"
    r"|habana|intel_extension|neuron|directml"
)
_PRESENCE_CHECK: Final = re.compile(r"is_|has_|device_count$")


def resolve_attribute(path: str, name: str) -> Any:
    """Return the attribute `name` of the module or object called `path`."""
    if name == "__version__":
        library = path.partition(".")[0]
        return LIBRARY_VERSIONS.get(library, NEWEST_VERSION)

    full_name = f"{path}.{name}"
    if full_name in KNOWN_ATTRIBUTES:
        return KNOWN_ATTRIBUTES[full_name]
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    # `torch.xpu.is_available()` and `torch.xpu.device_count()`.
    if _PRESENCE_CHECK.match(name) and is_other_device(full_name):
        return lambda *_, **__: 0

    return Placeholder(full_name)


def is_other_device(path: str) -> bool:
    """Tell whether a name is about a device that is neither a CUDA nor a ROCm one."""
    return bool(_OTHER_DEVICE.search(path))


class Placeholder:
    """Has every attribute, can be called, compares as newer, and iterates over nothing."""

    def __init__(self, path: str = "") -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        return resolve_attribute(self._path, name)

    def __call__(self, *_: object, **__: object) -> Any:
        """Return a placeholder."""
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

    # An operand of a string or a list stays what it is: `flags + torch.anything`.
    def __add__(self, operand: object) -> Any:
        return operand

    __radd__ = __add__

    def __mul__(self, operand: object) -> Any:
        return operand

    __rmul__ = __sub__ = __rsub__ = __truediv__ = __floordiv__ = __mod__ = __mul__

    def __float__(self) -> float:
        return 99.0

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None: ...
