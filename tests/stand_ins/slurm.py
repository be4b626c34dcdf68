"""The little of Slurm that our job scripts use: `srun` starts tasks and passes signals on,
`scontrol` only says so.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRUN = """#!/usr/bin/env python3
import os, signal, subprocess, sys
words = sys.argv[1:]
flags = [words.pop(0) for _ in list(words) if words and words[0].startswith("--")]
print("srun", *flags, flush=True)
tasks = [
    subprocess.Popen(words, env=os.environ | {"SLURM_PROCID": str(number), "SLURM_LOCALID": str(number)})
    for number in range(int(os.environ["SLURM_NTASKS"]))
]
signal.signal(signal.SIGTERM, lambda *_: [task.send_signal(signal.SIGTERM) for task in tasks])
sys.exit(max(task.wait() for task in tasks))
"""
SCONTROL = """#!/bin/sh
echo "scontrol $*"
"""


@dataclass
class Job:
    """A job script in an allocation, and what it and its tasks say."""

    folder: Path
    environment: dict[str, str]
    tasks: int = 2

    def start(self) -> None:
        programs = self.folder / "slurm"
        programs.mkdir()
        for name, text in {"srun": SRUN, "scontrol": SCONTROL}.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        allocation = {
            "SLURM_JOB_ID": "42",
            "SLURM_NTASKS": str(self.tasks),
            "SLURM_SUBMIT_DIR": str(ROOT),
        }
        environment = os.environ | allocation | self.environment
        environment["PATH"] = f"{programs}:{environment['PATH']}"
        with (self.folder / "said").open("wb") as output:
            # Slurm runs a copy of the script from its own spool
            copy = self.folder / "slurm_script"
            copy.write_bytes((ROOT / "deploy/slurm/worker.sbatch").read_bytes())
            self.process = subprocess.Popen(
                ["bash", copy], env=environment, stdout=output, stderr=output
            )

    def warn(self) -> None:
        """What `--signal=B:USR1@900` does: the signal goes to the batch script alone."""
        self.process.send_signal(signal.SIGUSR1)

    def read_output(self) -> str:
        return (self.folder / "said").read_text()

    def until(self, words: str, times: int = 1, seconds: float = 60) -> None:
        """Wait until it has said `words` so often."""
        deadline = time.monotonic() + seconds
        while self.read_output().count(words) < times:
            assert self.process.poll() is None, self.read_output()
            assert time.monotonic() < deadline, self.read_output()
            time.sleep(0.02)

    def end(self) -> int:
        return self.process.wait(60)
