"""What every purpose promises: prompts that say what they may, and verdicts in words."""

from __future__ import annotations

from typing import Any

import pytest

from crawler.completion.prompt_files import load_prompts
from crawler.completion.purpose import Purpose
from crawler.model import AttemptVerdict
from workers.completion.completion_run import list_purposes


@pytest.fixture(params=list_purposes(), ids=lambda purpose: purpose.name)
def purpose(request: pytest.FixtureRequest) -> Purpose[Any]:
    chosen: Purpose[Any] = request.param
    return chosen


def test_names_are_unique() -> None:
    names = [purpose.name for purpose in list_purposes()]
    assert len(set(names)) == len(names)
    assert {"repair", "describe"} <= set(names)


def test_our_own_prompts_have_what_they_say(purpose: Purpose[Any]) -> None:
    prompts = load_prompts(purpose.placeholders)
    for name, placeholders in purpose.placeholders.items():
        text = prompts.render(
            name, **{placeholder: f"<{placeholder}>" for placeholder in placeholders}
        )
        assert all(f"<{placeholder}>" in text for placeholder in placeholders), name


def test_each_turn_of_the_loop_has_its_prompt(purpose: Purpose[Any]) -> None:
    prompts = load_prompts(purpose.placeholders)
    feedback = {"number": "1", "verdict": "it is wrong", "messages": "out[3]"}
    assert prompts.render(purpose.system_prompt)
    assert "out[3]" in prompts.render(purpose.reflect_prompt, **feedback)
    retry = prompts.render(purpose.retry_prompt, reflection="I see", **feedback)
    assert "out[3]" in retry
    assert "I see" in retry


def test_no_accepted_verdict_is_told_as_a_failure(purpose: Purpose[Any]) -> None:
    assert not [
        verdict_word
        for verdict_word in purpose.verdict_words
        if verdict_word.is_accepted
    ]
    assert AttemptVerdict.NONE not in purpose.verdict_words
