"""Sizes that go by the name of a stride are chosen so that no row lies upon another."""

from __future__ import annotations

from crawler.validate.inputs.plan import strides


def chosen(*names: str) -> list[dict[str, int]]:
    return [{name: choose(name, (name,), 6) for name in names} for choose in strides(names)]


def test_numbered_strides_grow_by_their_axis() -> None:
    assert chosen("ne00", "s00", "s01", "s02", "nb1", "nb2") == [
        {"ne00": 6, "s00": 1, "s01": 64, "s02": 512, "nb1": 64, "nb2": 512}
    ]


def test_named_strides_grow_in_either_order() -> None:
    assert chosen("n", "batch_stride", "row_stride") == [
        {"n": 6, "batch_stride": 64, "row_stride": 512},
        {"n": 6, "batch_stride": 512, "row_stride": 64},
    ]


def test_without_strides_nothing_is_chosen() -> None:
    assert chosen("n", "channels", "loss", "nums") == []
