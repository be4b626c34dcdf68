"""Stage `validate.device`: run a batch of kernels on a GPU with the cases of their CPU runs."""

from __future__ import annotations

import traceback
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crawler.codec import decode, encode
from crawler.errors import Misconfigured, PortFailed
from crawler.model import (
    Dialect,
    Kernel,
    KernelUnit,
    Run,
    Status,
    Suite,
    Toolchain,
    Verdict,
)
from crawler.port.port import port_unit
from crawler.validate.bundle.manifest import golden_digests, input_digests
from crawler.validate.devices.device_validation import (
    RUNTIME_DIALECTS,
    DeviceValidation,
    run_on_gpu,
)
from crawler.validate.devices.gpu_detection import Gpu, explain_missing_gpu, find_gpu
from crawler.validate.devices.unit_runs import RunOptions
from crawler.validate.devices.version import VERSION
from crawler.validate.values.blobs import Blobs
from storage.ledger.interface import Claim, Outcome
from workers.reuse.timing_baselines import find_baseline, remember_first_baseline
from workers.tasks.cpu_batches import load_stored_kernels
from workers.tasks.payloads import DevicePayload
from workers.workspace.task_workspace import Workspace

if TYPE_CHECKING:
    from storage.open import Storage

_MAX_LOST_DEVICES: Final = 2
"""Devices that one unit may cost: it is not run on a third, and keeps the verdict that it got."""
_TIMED_RUN: Final = RunOptions(timing={"launches": 60, "warm_ups": 5, "seconds": 5.0})


@dataclass(frozen=True, slots=True, kw_only=True)
class _DeviceRunner:
    """Runs the kernels of one task on a device and keeps each result at once."""

    storage: Storage
    device: str
    gpu: Gpu | None
    """The device itself, where this machine has it."""
    baselines: Path | None

    def run_kernel(self, kernel: Kernel, cpu_run: Run) -> DeviceValidation:
        """Run a kernel with the cases of its CPU run, and store what came of it.

        Raises `Misconfigured` where the device does not work any more afterwards.
        """
        suite = decode(self.storage.blobs.get(cpu_run.suite), Suite)
        if self.gpu is None:
            missing = explain_missing_gpu(self.device)
            validation = _make_empty_validation(kernel, self.device, cpu_run, missing)
            self._store(validation, suite)
            return validation

        validation = self._validate(self.gpu, kernel, suite, cpu_run)
        self._store(validation, suite)
        remember_first_baseline(self.storage, self.gpu, validation.run)
        if not validation.is_healthy:
            record_lost_device(self.storage, self.gpu.device, cpu_run)
            message = (
                f"{self.device} does no more as it ought to after {kernel.name}: "
                "look at it, or reboot"
            )
            raise Misconfigured(message, code="device-lost")
        return validation

    def _validate(
        self, gpu: Gpu, kernel: Kernel, suite: Suite, cpu_run: Run
    ) -> DeviceValidation:
        assert kernel.unit is not None
        try:
            unit = _port_for_device(kernel.unit, gpu)
            blobs = _load_blobs(self.storage, suite)
            baseline = find_baseline(
                self.storage, self.baselines, gpu, unit, cpu_run.suite
            )
            options = replace(_TIMED_RUN, baseline=baseline)
            return run_on_gpu(gpu, unit, suite, blobs, cpu_run, options)
        except Misconfigured:
            raise
        except PortFailed as error:
            status, code, message = Status.UNSUPPORTED, error.code, str(error)
        except Exception:
            status, code, message = Status.FAIL, "internal", traceback.format_exc()
        verdict = Verdict(status=status, code=code, message=message)
        return _make_empty_validation(kernel, gpu.device, cpu_run, verdict)

    def _store(self, validation: DeviceValidation, suite: Suite) -> None:
        """Store the builds of this machine's compilers with their objects, and the run."""
        storage = self.storage
        storage.blobs.put_many(code for code in validation.objects if code)
        # the last one is what rows show: that of the vendor's own compiler
        storage.index.put_builds(reversed(validation.builds))
        suites = [suite] if validation.run.suite else []
        storage.index.put_runs([validation.run], suites)


def run(claim: Claim, storage: Storage, workspace: Workspace) -> Outcome:
    """Run each kernel that has cases; without the device each is skipped.

    Each result is kept at once. Raises `Misconfigured` where the device does not work any more:
    the worker stops, and its task returns.
    """
    payload = decode(claim.payload, DevicePayload)
    encoded_runs = storage.blobs.get(payload.runs)
    cpu_runs = decode(encoded_runs, tuple[Run, ...])
    kernels = load_stored_kernels(storage.blobs, payload.kernels)
    gpu = find_gpu(payload.device)
    runner = _DeviceRunner(
        storage=storage,
        device=payload.device,
        gpu=gpu,
        baselines=workspace.settings.baselines,
    )
    statuses: Counter[str] = Counter()
    for kernel, cpu_run in zip(kernels, cpu_runs, strict=True):
        if not cpu_run.suite:
            statuses["no-cases"] += 1
        elif gpu and _has_lost_devices(storage, gpu, cpu_run):
            statuses["device-lost"] += 1
        else:
            validation = runner.run_kernel(kernel, cpu_run)
            status = validation.run.pass_exe.status
            statuses[status.value] += 1

    result = {"device": payload.device, **statuses}
    return Outcome(result=encode(result).decode())


def _has_lost_devices(storage: Storage, gpu: Gpu, cpu_run: Run) -> bool:
    lost_count = count_devices_lost(storage, gpu.device, cpu_run)
    return lost_count >= _MAX_LOST_DEVICES


def _load_blobs(storage: Storage, suite: Suite) -> Blobs:
    contents: dict[str, bytes] = {}
    for digest in (*input_digests(suite), *golden_digests(suite)):
        contents[digest] = storage.blobs.get(digest)

    return Blobs(contents)


def count_devices_lost(storage: Storage, device: str, cpu_run: Run) -> int:
    """Return how many devices were lost to a unit with these cases."""
    key = _lost_key(device, cpu_run)
    count = storage.source_memory.recall(key)
    return int(count or b"0")


def record_lost_device(storage: Storage, device: str, cpu_run: Run) -> None:
    """Count a device that was lost to a unit.

    One may be the device's fault, several are the unit's.
    """
    count = count_devices_lost(storage, device, cpu_run) + 1
    key = _lost_key(device, cpu_run)
    encoded_count = str(count).encode()
    storage.source_memory.remember(key, encoded_count)


def _lost_key(device: str, cpu_run: Run) -> str:
    return f"device-lost {VERSION} {device} {cpu_run.unit} {cpu_run.suite}"


def _port_for_device(unit: KernelUnit, gpu: Gpu) -> KernelUnit:
    """Return the unit in the dialect of a device.

    Raises `PortFailed` where it cannot be ported, or is a HIP unit and the device is CUDA's.
    """
    dialect = RUNTIME_DIALECTS[gpu.runtime]
    if unit.dialect is dialect:
        return unit
    if dialect is Dialect.HIP:
        return port_unit(unit)
    raise PortFailed(
        "a HIP kernel is not run on a device of CUDA: crawl its CUDA source",
        code="wrong-dialect",
    )


def _make_empty_validation(
    kernel: Kernel, device: str, cpu_run: Run, verdict: Verdict
) -> DeviceValidation:
    assert kernel.unit is not None
    run = Run(
        unit=kernel.unit.digest,
        device=device,
        toolchain=Toolchain(compiler=""),
        pass_exe=verdict,
        behaviour=cpu_run.behaviour,
    )
    return DeviceValidation(run=run)
