"""Devices on which candidates are judged: this machine's CPU, or one of its GPUs."""

from __future__ import annotations

from typing import Final

from crawler.errors import Misconfigured
from crawler.validate.cpu.result import CPU_DEVICE
from crawler.validate.devices.device_validation import is_gpu_name
from crawler.validate.devices.gpu_detection import explain_missing_gpu, find_gpu

_BACKENDS: Final = {CPU_DEVICE: "cpu", "cuda": "cuda", "rocm": "hip"}
"""Runtime of a device to what the judge calls it."""


def find_backend(device: str) -> str:
    """Return what the judge calls a device: `hip` for `rocm:gfx942`."""
    return _BACKENDS[device.partition(":")[0]]


def check_device_name(device: str) -> None:
    """Raise `Misconfigured` for what names no device."""
    if device != CPU_DEVICE and not is_gpu_name(device):
        raise Misconfigured(
            f"no device is called {device}: give --device cpu, cuda, rocm, or one such as "
            "rocm:gfx942",
            code="bad-device",
        )


def require_arch(device: str) -> None:
    """Raise `Misconfigured` for a GPU without its arch: each has a queue of its own."""
    if device in _BACKENDS and device != CPU_DEVICE:
        raise Misconfigured(
            f"each kind of GPU has a queue of its own, and {device} names none: "
            "give one such as --device rocm:gfx942",
            code="bad-device",
        )


def resolve_device(device: str) -> str:
    """Return a device of this machine with its arch: `cuda:sm_90` for `cuda`.

    Raises `Misconfigured` where this machine has no such device.
    """
    check_device_name(device)
    if device == CPU_DEVICE:
        return device

    gpu = find_gpu(device)
    if gpu is None:
        missing = explain_missing_gpu(device)
        raise Misconfigured(missing.message, code=missing.code)
    return gpu.device
