"""Prompts of a user's own stand before ours, and are read before anybody is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.completion.prompt_files import load_prompts
from crawler.errors import Misconfigured
from workers.completion.purposes.repair import PLUGIN as REPAIR


def test_a_file_of_ones_own_stands_for_ours(tmp_path: Path) -> None:
    (tmp_path / "retry.md").write_text("No: $messages. It costs $$1.")
    prompts = load_prompts(REPAIR.placeholders, tmp_path)
    text = prompts.render(
        "retry", number="1", verdict="", messages="a $b", reflection=""
    )
    assert text == "No: a $b. It costs $1."
    assert (
        prompts.templates["system"]
        == load_prompts(REPAIR.placeholders).templates["system"]
    )
    assert prompts.digest != load_prompts(REPAIR.placeholders).digest


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"$mesages", r"names \$mesages, and may name \$messages, \$number"),
        (b"costs $ 1", "begins no name"),
        (b"\xff", "cannot be read as a text"),
        (b"a" * 70_000, "over 65536 bytes"),
    ],
)
def test_a_prompt_that_cannot_be_is_refused(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    (tmp_path / "retry.md").write_bytes(content)
    with pytest.raises(Misconfigured, match=reason) as caught:
        load_prompts(REPAIR.placeholders, tmp_path)
    assert caught.value.code == "bad-prompt-file"


def test_a_folder_without_prompts_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="has no prompts"):
        load_prompts(REPAIR.placeholders, tmp_path)
