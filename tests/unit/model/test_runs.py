"""The first run of a device speaks for it."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from crawler.model import select_run_per_device, select_run_per_instantiation


@dataclass(frozen=True)
class DeviceRun:
    device: str
    number: int


RUNS = st.lists(st.builds(DeviceRun, st.sampled_from("abc"), st.integers()))


def test_a_run_of_the_own_unit_is_before_that_of_a_port() -> None:
    own = DeviceRun("cpu", 1)
    of_port = DeviceRun("cpu", 2)
    elsewhere = DeviceRun("cuda:sm_90", 3)
    assert select_run_per_device([elsewhere, own, of_port]) == [own, elsewhere]


@given(RUNS)
def test_every_device_has_its_first_run_in_the_order_of_devices(
    runs: list[DeviceRun],
) -> None:
    selected = select_run_per_device(runs)
    assert [run.device for run in selected] == sorted({run.device for run in runs})
    for run in selected:
        assert run == next(other for other in runs if other.device == run.device)


@dataclass(frozen=True)
class InstantiationRun:
    device: str
    unit: str
    instantiation: str


def test_an_instantiation_has_its_own_run_or_none() -> None:
    of_float = InstantiationRun("cpu", "own", "float")
    of_int = InstantiationRun("cpu", "own", "int")
    assert select_run_per_instantiation(
        ["float", "int", "half"], [of_float, of_int]
    ) == {"cpu": {"float": of_float, "int": of_int, "half": None}}


def test_a_port_gives_no_verdict_where_the_own_unit_was_run() -> None:
    own = InstantiationRun("cpu", "own", "float")
    of_port = InstantiationRun("cpu", "port", "int")
    on_gpu = InstantiationRun("rocm:gfx942", "port", "int")
    assert select_run_per_instantiation(["float", "int"], [own, of_port, on_gpu]) == {
        "cpu": {"float": own, "int": None},
        "rocm:gfx942": {"float": None, "int": on_gpu},
    }


def test_what_ran_nowhere_has_no_device() -> None:
    assert select_run_per_instantiation(["float"], []) == {}
