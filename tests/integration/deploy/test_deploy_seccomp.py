"""The filter that deploy/seccomp.json gives containers: our sandbox works under it, and the
kernel's keys stay shut.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from crawler import sandbox

PROFILE = Path(__file__).resolve().parents[3] / "deploy" / "seccomp.json"
UNDER_IT = """
import ctypes, json, struct, sys
from crawler.sandbox.system_calls import seccomp, syscalls
profile = json.loads(open(sys.argv[1]).read())
machine = seccomp.ARCHITECTURES[sys.argv[2]]
code = seccomp._Program()
code.load(0)
for rule in profile["syscalls"]:
    for name in rule["names"]:
        if name in machine.call_numbers:
            code.answer_if(0x15, machine.call_numbers[name], seccomp.make_error_action(rule["errnoRet"]))
code.append(0x06, 0x7FFF0000)
text = ctypes.create_string_buffer(bytes(code.bytecode), len(code.bytecode))
libc = ctypes.CDLL(None, use_errno=True)
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code.bytecode) // 8, ctypes.addressof(text)))
libc.prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong]
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.addressof(program), 0, 0) == 0
keys = libc.syscall(ctypes.c_long(machine.call_numbers["keyctl"]), ctypes.c_long(0), ctypes.c_long(-3), ctypes.c_long(0))
refused = ctypes.get_errno() if keys == -1 else 0
from crawler import sandbox
tested = sandbox.run_self_test()
print(json.dumps({"keyctl": refused, "works": tested.works, "reason": tested.reason}))
"""


@pytest.mark.apt
def test_the_sandbox_works_under_the_profile_of_containers() -> None:
    if not sandbox.run_self_test().works:
        pytest.skip("no sandbox here at all")
    ended = subprocess.run(
        [sys.executable, "-c", UNDER_IT, PROFILE, platform.machine()],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == {"keyctl": 1, "works": True, "reason": ""}


def test_the_profile_leaves_what_the_sandbox_is_made_of() -> None:
    profile = json.loads(PROFILE.read_text())
    refused = {name for rule in profile["syscalls"] for name in rule["names"]}
    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    assert not refused & {
        "clone",
        "unshare",
        "mount",
        "umount2",
        "pivot_root",
        "seccomp",
        "prctl",
    }
    assert {"bpf", "keyctl", "init_module", "kexec_load", "ptrace"} <= refused
