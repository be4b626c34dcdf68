"""What was judged of candidates for a purged kernel goes with it, since it may quote it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from crawler.codec import encode
from crawler.dataset.prompts.prompt_row import make_task_id
from crawler.judging.candidate import Candidate
from crawler.judging.judge_program import JudgeOptions
from crawler.judging.judgement import Judgement
from crawler.judging.judging_task import JudgingTask
from crawler.model import Repo
from storage.ledger.interface import Outcome, Stage
from storage.open import Storage, open_storage
from tests.unit.storage.samples import REPO, make_kernel, make_unit
from workers.judging.judging_request import open_judging, read_judging
from workers.judging.kept_judgements import KeptJudgements
from workers.tasks.payloads import JudgeResult
from workers.tasks.task_specs import store_json

OTHER = replace(REPO, name="other")


def judge(storage: Storage, repo: Repo) -> tuple[str, str]:
    """Judge a candidate for the kernel of a repository as a worker would; return the judging's
    id and the digest of the stored judgements.
    """
    unit = make_unit(f"__global__ void in_{repo.name}() {{}}")
    storage.index.put_kernels(repo, [make_kernel("taken_back", unit=unit)])
    (record,) = (
        record for record in storage.index.records() if record.provenance.repo == repo
    )
    content = repo.name.encode()
    task = JudgingTask(
        task_id=make_task_id(record), test="t", language="hip", files={"t": content}
    )
    candidate = Candidate(task_id=task.task_id, number=0, completion="int a;")
    judging = open_judging(
        [candidate],
        lambda *_: task,
        storage,
        options=JudgeOptions(case_seconds=1),
        account="ada",
    )
    claim = storage.ledger.claim("me", (Stage.JUDGE,), 60)
    assert claim

    judgement = Judgement(
        task_id=task.task_id,
        number=0,
        completion=candidate.digest,
        source=hashlib.sha256(content).hexdigest(),
        task=task.digest,
        device="cpu",
        pass_call=False,
        call_err_msg=f"quotes {unit.source}",
    )
    KeptJudgements(storage, JudgeOptions(case_seconds=1)).add([judgement])
    digest = store_json(storage.blobs, (judgement,))
    result = JudgeResult(judgements=digest, judged=1, reused=0)
    storage.ledger.finish(claim, Outcome(result=encode(result).decode()))
    return judging, digest


def test_judgements_of_a_purged_kernel_are_gone_and_others_stay(
    tmp_path: Path,
) -> None:
    with open_storage(tmp_path) as storage:
        judging, digest = judge(storage, REPO)
        other, other_digest = judge(storage, OTHER)
        assert storage.purge(lambda repo: False).tasks == 0
        assert storage.blobs.has(digest)

        assert storage.purge(lambda repo: repo.name == REPO.name).tasks == 1
        assert not storage.blobs.has(digest)
        judging_state = read_judging(judging, storage)
        assert judging_state
        assert judging_state.judgements == ()

        other_state = read_judging(other, storage)
        assert other_state
        (judgement,) = other_state.judgements
        assert storage.blobs.has(other_digest)
        store = KeptJudgements(storage, JudgeOptions(case_seconds=1))
        words = judgement.task, judgement.source, judgement.device
        assert store.find_source(*words) == judgement
        with storage.engine.connect() as connection:
            keys = connection.exec_driver_sql("SELECT key FROM memory").scalars().all()
        assert len([key for key in keys if key.startswith("judged ")]) == 1
