"""Programs that want to use up the machine, or to stay when their time is over."""

from __future__ import annotations

from typing import Final

PROGRAMS: Final = {
    "processes: a fork bomb": "while True: os.fork()",
    "processes: many that sleep": (
        "for _ in range(4000):\n    if os.fork() == 0: time.sleep(60); os._exit(0)\n"
        "time.sleep(60)"
    ),
    "memory: of one process": "hoard = bytearray(1 << 30); time.sleep(60)",
    "memory: of many": (
        "for _ in range(8):\n"
        "    if os.fork() == 0: hoard = bytearray(64 << 20); time.sleep(60)\n"
        "time.sleep(60)"
    ),
    "disk: a file that is removed while it is open": (
        "for number in range(40):\n"
        "    globals()[f'kept{number}'] = file = open(f'{own}/file', 'wb', 0)\n"
        "    os.unlink(file.name); file.write(bytes(2 << 20))\n"
        "time.sleep(60)"
    ),
    "disk: many files": (
        "for number in range(40):\n"
        "    open(f'{own}/{number}', 'wb', 0).write(bytes(2 << 20))\n"
        "time.sleep(60)"
    ),
    "disk: names without an end": (
        "for number in range(1 << 30): os.mkdir(f'{own}/{number}')"
    ),
    "time: a loop that hears no signal": (
        "for number in range(1, 65):\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True: pass"
    ),
    "staying: a daemon forked twice": (
        "if os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
        "time.sleep(60)"
    ),
    "staying: a thousand of them, each the child of the last": (
        "for _ in range(1000):\n    if os.fork(): os._exit(0)\n    os.setsid()\n"
        "time.sleep(60)"
    ),
    "staying: whatever outlives its keeper": (
        "os.setsid()\nos.kill(os.getppid(), 9)\ntime.sleep(60)"
    ),
    "staying: stopped": "if os.fork() == 0: os.kill(os.getpid(), 19)\n",
    "output: a flood": "while True: print('yes to this' * 1000)",
}
