"""Commands that begin with an option of whatever isolates or starts them, as a stranger may name one.

`{victim}` is a file of the host with a secret.
"""

from __future__ import annotations

from typing import Final

WORDS: Final = {
    "CVE-2024-32462 flatpak: a mount of bubblewrap's": (
        *("--ro-bind", "/", "/", "/bin/cat"),
        "{victim}",
    ),
    "CVE-2024-32462 flatpak: the same behind an end of options": (
        *("--", "--ro-bind", "/", "/", "/bin/cat"),
        "{victim}",
    ),
    "options of bubblewrap from a file": ("--args", "0", "/bin/cat", "{victim}"),
    "an option of setpriv": ("--reuid=0", "/bin/cat", "{victim}"),
    "an option of prlimit": ("--pid=1", "--nproc=1"),
    "options of Python": ("-c", "print(open('{victim}').read())"),
    "a line of a shell": ("$(cat {victim})",),
    "more lines of a shell": ("true\ncat {victim}",),
    "a folder up": ("../../../../bin/cat", "{victim}"),
    "no name": ("", "{victim}"),
}
