"""What a model was asked about a purged kernel goes with it, since it quotes it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crawler.codec import encode
from crawler.completion.chat import (
    ChatAnswer,
    ChatMessage,
    ChatParameters,
    ChatRequest,
    KeptAnswer,
)
from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.model import CompletionAttempt, Repo
from storage.open import Storage, open_storage
from tests.unit.storage.samples import REPO, make_kernel, make_unit

OTHER = replace(REPO, name="other")


def ask(storage: Storage, repo: Repo) -> tuple[str, ChatRequest]:
    """Ask about the kernel of a repository; returns its task's id and the question."""
    unit = make_unit(f"__global__ void in_{repo.name}() {{}}")
    storage.index.put_kernels(repo, [make_kernel("asked", unit=unit)])
    (record,) = (
        record for record in storage.index.records() if record.provenance.repo == repo
    )
    request = ChatRequest(
        model="m",
        messages=(ChatMessage(role="user", content=unit.source),),
        parameters=ChatParameters(max_tokens=10),
    )
    answer = ChatAnswer(text=f"quotes {unit.source}", tokens_in=1, tokens_out=1)
    storage.attempts.add_answer(
        request, KeptAnswer(answer=answer, cost=0.0), unit=unit.digest
    )
    attempt = CompletionAttempt(
        series=repo.name,
        kernel=make_task_id(record),
        unit=unit.digest,
        purpose="repair",
        number=1,
        model="m",
        parameters="{}",
        prompt=encode(request.messages).decode(),
        answer=answer.text,
    )
    storage.attempts.add_attempt(attempt)
    return attempt.kernel, request


def test_attempts_at_a_purged_kernel_are_gone_and_others_stay(tmp_path: Path) -> None:
    with open_storage(tmp_path) as storage:
        kernel, request = ask(storage, REPO)
        other, other_request = ask(storage, OTHER)
        storage.purge(lambda repo: repo.name == REPO.name)

        assert not list(storage.attempts.iter_attempts(kernel))
        assert storage.attempts.find_answer(request) is None
        assert len(list(storage.attempts.iter_attempts(other))) == 1
        assert storage.attempts.find_answer(other_request) is not None
        storage.collect_garbage(grace_seconds=0, task_seconds=0)
        contents = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        assert not any(
            b"quotes __global__ void in_tide" in content for content in contents
        )
