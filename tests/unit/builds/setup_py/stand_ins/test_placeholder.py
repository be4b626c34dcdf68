from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from crawler.builds.setup_py.stand_ins import placeholder
from crawler.builds.setup_py.stand_ins.placeholder import (
    NEWEST_VERSION,
    Placeholder,
    is_other_device,
    resolve_attribute,
)


@pytest.fixture
def torch() -> Iterator[Any]:
    placeholder.LIBRARY_VERSIONS["torch"] = "2.1.0"
    placeholder.KNOWN_ATTRIBUTES["torch.version.cuda"] = "12.4"
    yield Placeholder("torch")
    placeholder.LIBRARY_VERSIONS.clear()
    placeholder.KNOWN_ATTRIBUTES.clear()


def test_a_library_claims_the_version_that_was_chosen_for_it(torch: Any) -> None:
    assert torch.__version__ == "2.1.0"
    assert Placeholder("numpy").__version__ == NEWEST_VERSION


def test_an_attribute_with_a_value_of_its_own_has_it(torch: Any) -> None:
    assert torch.version.cuda == "12.4"


def test_any_other_attribute_is_a_placeholder_that_can_be_called(torch: Any) -> None:
    result = torch.utils.anything.at_all("x", key=1)[0]
    assert isinstance(result, Placeholder)


def test_a_special_name_is_missing_as_python_expects(torch: Any) -> None:
    with pytest.raises(AttributeError):
        _ = torch.__wrapped__


@pytest.mark.parametrize("name", ["is_available", "has_mps", "device_count"])
def test_another_device_is_never_there(name: str) -> None:
    assert resolve_attribute("torch.xpu", name)() == 0


def test_a_cuda_device_is_asked_of_torch_itself() -> None:
    assert isinstance(resolve_attribute("torch.cuda", "is_anything"), Placeholder)


@pytest.mark.parametrize(
    ("path", "is_other"),
    [
        ("torch_npu", True),
        ("torch.xpu", True),
        ("torch_xla.core", True),
        ("intel_extension_for_pytorch", True),
        ("habana_frameworks", True),
        ("torch.cuda", False),
        ("torch.version.hip", False),
        ("maps", False),
        ("example", False),
    ],
)
def test_a_device_is_recognised_by_whole_words(path: str, is_other: bool) -> None:
    assert is_other_device(path) is is_other


def test_a_placeholder_is_newer_than_any_minimum() -> None:
    version: Any = Placeholder()
    assert version > (1, 2)
    assert version >= "99"
    assert not version < 3
    assert not version <= 3
    assert int(version) == 99
    assert float(version) == 99.0


def test_a_placeholder_leaves_text_and_lists_as_they_are() -> None:
    value: Any = Placeholder()
    assert "-I" + str(value) == "-I" + NEWEST_VERSION
    flags = ["-O3"]
    assert value + flags == flags
    assert flags + value == flags
    assert [*value] == []
    assert len(value) == 0
    assert bool(value)
    assert os.fspath(value) == placeholder.CUDA_HOME


def test_a_placeholder_is_a_context_and_a_base_class() -> None:
    with Placeholder() as entered:
        assert isinstance(entered, Placeholder)
    base: Any = Placeholder("torch.nn.Module")

    class Model(base):  # type: ignore[misc]
        pass

    assert Model.__mro__[-1] is object
