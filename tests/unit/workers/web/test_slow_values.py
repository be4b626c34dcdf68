"""What takes long is computed once for all who ask, and few values wait for it."""

from __future__ import annotations

import threading
from functools import partial

from workers.web.slow_values import SlowValues


def test_few_values_wait_however_many_are_asked_for() -> None:
    values = SlowValues(patience_seconds=0.0)
    may_go_on = threading.Event()
    computed: list[int] = []

    def compute(number: int) -> int:
        may_go_on.wait(60)
        computed.append(number)
        return number

    for number in range(200):
        assert values.get(str(number), partial(compute, number)) is None
    may_go_on.set()
    values.patience_seconds = 60.0
    cached_values = values.get("31", lambda: -1)
    assert cached_values
    assert cached_values.value == 31
    assert computed == list(range(32))
    # there is room again
    later = values.get("199", lambda: 199)
    assert later
    assert later.value == 199
    values.close()


def test_several_values_are_waited_for_together() -> None:
    values = SlowValues(patience_seconds=60.0)
    cached_values = values.get_together({"one": lambda: 1, "two": lambda: 2})
    assert {key: value and value.value for key, value in cached_values.items()} == {
        "one": 1,
        "two": 2,
    }

    may_go_on = threading.Event()
    values.patience_seconds = 0.0
    slow = {
        key: partial(may_go_on.wait, 60) for key in ("one", "three", "four", "five")
    }
    cached_values = values.get_together(slow)
    # what is known is given at once, though others are still being computed
    assert cached_values["one"]
    assert [cached_values[key] for key in ("three", "four", "five")] == [
        None,
        None,
        None,
    ]
    may_go_on.set()
    values.close()


def test_what_is_quick_does_not_wait_for_what_takes_minutes() -> None:
    values = SlowValues(patience_seconds=60.0)
    may_go_on = threading.Event()
    values.patience_seconds = 0.0
    values.get_together({"long": partial(may_go_on.wait, 60)}, long=("long",))
    values.patience_seconds = 60.0
    quick = values.get("quick", lambda: 1)
    assert quick
    assert quick.value == 1
    may_go_on.set()
    values.close()
