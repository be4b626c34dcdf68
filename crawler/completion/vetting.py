"""Ask a second model whether an answer is good, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crawler.completion.chat import ChatMessage, ChatRequest, KeptAnswer
from crawler.completion.purpose import CheckTools

# the first word of what a second model wrote: `ACCEPT`, `**Reject.**`
_DECISION: Final = re.compile(r"\W*(accept|reject)(?:ed|s)?\b\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vetting:
    """What a second model thinks of an answer."""

    is_accepted: bool
    reason: str
    kept_answer: KeptAnswer


def vet(tools: CheckTools, turns: Sequence[ChatMessage], unit: str) -> Vetting:
    """Return what the second model says to `turns` about the unit with this digest.

    What begins with neither `accept` nor `reject` accepts nothing. Raises as `KeptChat.ask` does.
    """
    request = ChatRequest(
        model=tools.vetting_model,
        messages=tuple(turns),
        parameters=tools.parameters,
    )
    kept_answer = tools.chat.ask(request, unit)
    text = kept_answer.answer.text
    decision = _DECISION.match(text)
    if decision is None:
        reason = f"the second model did not decide: {text.strip()}"
        return Vetting(is_accepted=False, reason=reason, kept_answer=kept_answer)

    return Vetting(
        is_accepted=decision[1].lower() == "accept",
        reason=text[decision.end() :].strip(),
        kept_answer=kept_answer,
    )
