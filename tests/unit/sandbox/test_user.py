"""Whose id a run gets on the host."""

from __future__ import annotations

from crawler.sandbox import user

WHOLE = "         0          0 4294967295\n"
CONTAINER = "         0     100000      65536\n"
ROOTLESS = "         0       1000          1\n         1     100000      65536\n"


def test_ids_that_nobody_uses_where_all_are_ours() -> None:
    assert user.choose_id_range(WHOLE, WHOLE) == (0x70000000, 1 << 28)


def test_the_upper_half_of_what_a_container_has() -> None:
    assert user.choose_id_range(CONTAINER, CONTAINER) == (32768, 32768)
    assert user.choose_id_range(ROOTLESS, ROOTLESS) == (32769, 32768)


def test_what_only_users_or_only_groups_have_is_not_taken() -> None:
    assert user.choose_id_range(WHOLE, CONTAINER) is None


def test_a_root_that_is_one_user_has_none_to_give() -> None:
    alone = "         0       1000          1\n"
    assert user.choose_id_range(alone, alone) is None


def test_root_of_a_namespace_is_somebody_outside() -> None:
    assert user.is_root_outside(WHOLE)
    assert user.is_root_outside("0 0 1\n")
    assert not user.is_root_outside(ROOTLESS)
    assert not user.is_root_outside(CONTAINER)
