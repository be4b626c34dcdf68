"""Let `torch.cuda` of a build for the CPU tell of the device that libraries have registered."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import torch

_NAME = "Kernelset CPU model"
_CAPABILITY = (8, 0)
_MEMORY_BYTES = 2 << 30
_CUDA_VERSION = "12.6"
_ANSWERS: dict[str, Any] = {
    "is_available": True,
    "is_initialized": True,
    "device_count": 1,
    "current_device": 0,
    "get_device_name": _NAME,
    "get_device_capability": _CAPABILITY,
    "get_arch_list": ["sm_80"],
    "is_bf16_supported": True,
    "mem_get_info": (_MEMORY_BYTES, _MEMORY_BYTES),
    "can_device_access_peer": False,
    "current_blas_handle": 0,
    "_exchange_device": 0,
    "_maybe_exchange_device": 0,
    "is_current_stream_capturing": False,
    "memory_allocated": 0,
    "max_memory_allocated": 0,
    "memory_reserved": 0,
    "max_memory_reserved": 0,
    "memory_cached": 0,
    "max_memory_cached": 0,
    "_lazy_init": None,
    "init": None,
    "synchronize": None,
    "set_device": None,
    "empty_cache": None,
    "ipc_collect": None,
    "reset_peak_memory_stats": None,
    "reset_max_memory_allocated": None,
    "set_stream": None,
    "_check_capability": None,
}
"""What functions of `torch.cuda` return, whatever they are given."""
_LEGACY_TYPES = {
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
    "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16,
    "LongTensor": torch.int64,
    "IntTensor": torch.int32,
    "ShortTensor": torch.int16,
    "CharTensor": torch.int8,
    "ByteTensor": torch.uint8,
    "BoolTensor": torch.bool,
}


class Stream:
    """A stream: whatever one would wait for is done."""

    def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
        self.device = torch.device("cuda", 0)
        self.device_index = 0
        self.stream_id = 0
        self.cuda_stream = 0
        self.priority = priority

    def synchronize(self) -> None:
        """Return at once."""

    def query(self) -> bool:
        """Tell that everything is done."""
        return True

    def wait_stream(self, stream: Any) -> None:
        """Return at once."""

    def wait_event(self, event: Any) -> None:
        """Return at once."""

    def record_event(self, event: Any = None) -> Any:
        """Return an event that has happened."""
        event = event or Event()
        event.record(self)
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Event:
    """An event, with the time at which it was recorded."""

    def __init__(self, **_: Any) -> None:
        self._time = 0.0

    def record(self, stream: Any = None) -> None:
        """Note the time."""
        self._time = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        """Return at once."""

    def query(self) -> bool:
        """Tell that it has happened."""
        return True

    def synchronize(self) -> None:
        """Return at once."""

    def elapsed_time(self, end: Event) -> float:
        """Return the milliseconds from here to `end`."""
        return 1000 * (end._time - self._time)


class DeviceProperties:
    """What `torch.cuda.get_device_properties` tells."""

    name = _NAME
    major, minor = _CAPABILITY
    total_memory = _MEMORY_BYTES
    multi_processor_count = 4
    warp_size = 32
    max_threads_per_multi_processor = 2048
    regs_per_multiprocessor = 65536
    shared_memory_per_block = 48 << 10
    shared_memory_per_block_optin = 163 << 10
    shared_memory_per_multiprocessor = 164 << 10
    is_integrated = False
    is_multi_gpu_board = False
    gcnArchName = "gfx90a"  # noqa: N815  # as PyTorch calls it
    L2_cache_size = 40 << 20


def install() -> None:
    """Tell of the device wherever Python is asked."""
    torch.version.cuda = _CUDA_VERSION
    for name, value in _list_functions().items():
        setattr(torch.cuda, name, value)

    for name, dtype in _LEGACY_TYPES.items():
        setattr(torch.cuda, name, _make_legacy_type(dtype))

    torch.UntypedStorage.__new__ = _make_storage
    torch.backends.cuda.is_built = lambda: True
    torch.Tensor.pin_memory = lambda self, *_, **__: self
    torch.Tensor.is_pinned = lambda self, *_, **__: False


def _list_functions() -> dict[str, Any]:
    """Return what replaces the functions of `torch.cuda`, by name."""
    functions = {name: _make_answer(answer) for name, answer in _ANSWERS.items()}
    return {
        **functions,
        "Stream": Stream,
        "Event": Event,
        "stream": _enter_stream,
        "current_stream": Stream,
        "default_stream": Stream,
        "device": _Device,
        "device_of": _Device,
        "get_device_properties": lambda *_: DeviceProperties(),
        # operators run on the CPU, and draw there
        "manual_seed": torch.default_generator.manual_seed,
        "manual_seed_all": torch.default_generator.manual_seed,
        "seed": torch.default_generator.seed,
        "seed_all": torch.default_generator.seed,
        "initial_seed": torch.default_generator.initial_seed,
        "get_rng_state": lambda *_: torch.get_rng_state(),
        "set_rng_state": lambda state, *_: torch.set_rng_state(state),
        "get_rng_state_all": lambda: [torch.get_rng_state()],
        "set_rng_state_all": lambda states: torch.set_rng_state(states[0]),
    }


def _make_answer(answer: Any) -> Any:
    def respond(*_: Any, **__: Any) -> Any:
        return answer

    return respond


@contextlib.contextmanager
def _enter_stream(stream: Any) -> Iterator[None]:
    yield


class _Device:
    """`torch.cuda.device`: there is one."""

    def __init__(self, device: Any = None) -> None:
        self.idx = 0

    def __enter__(self) -> _Device:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _make_storage(cls: Any, *arguments: Any, device: Any = None, **others: Any) -> Any:
    """Return a storage; those of the device are a tensor's, since PyTorch makes none itself."""
    if device is None or torch.device(device).type != "cuda":
        if device is not None:
            others["device"] = device
        return torch._C.StorageBase.__new__(cls, *arguments, **others)

    content = arguments[0] if arguments else 0
    if isinstance(content, int):
        tensor = torch.empty(content, dtype=torch.uint8, device=device)
    else:
        tensor = torch.tensor(list(content), dtype=torch.uint8, device=device)
    return tensor.untyped_storage()


def _make_legacy_type(dtype: Any) -> Any:
    def make_tensor(*arguments: Any, **_: Any) -> Any:
        is_size = bool(arguments) and all(
            isinstance(argument, int) for argument in arguments
        )
        if is_size:
            return torch.empty(*arguments, dtype=dtype, device="cuda")
        return torch.tensor(*(arguments or ([],)), dtype=dtype, device="cuda")

    return make_tensor
