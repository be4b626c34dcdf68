"""Programs that leave something in the folder of results for whoever reads it outside.

They begin in that folder. Of what they leave `result` is asked for, and every file that ends with
`.log`; `{victim}` is a file of the host with a secret.
"""

from __future__ import annotations

from typing import Final

RESULTS: Final = {
    "a link to a file of the host": "os.symlink('{victim}', 'result')",
    "a link to passwords": "os.symlink('/etc/shadow', 'result')",
    "a link up": "os.symlink('../private', 'result')",
    "a link to the worker's environment": "os.symlink('/proc/self/environ', 'result')",
    "a link to a device": "os.symlink('/dev/zero', 'result')",
    "a link to itself": "os.symlink('result', 'result')",
    "a hard link to a file of the host": "os.link('{victim}', 'result')",
    "a pipe, at which a reader waits": "os.mkfifo('result')",
    "a socket": "socket.socket(socket.AF_UNIX).bind('result')",
    "a folder in its place": "os.makedirs('result/result')",
    "a folder behind a link": "os.symlink('/etc', 'etc'); open('result', 'w')",
    "a device": "os.mknod('result', 0o020666, os.makedev(1, 5))",
    "a file that runs as its owner": (
        "open('result', 'w').write('mine'); os.chmod('result', 0o6755)"
    ),
    "a file that nobody may read": (
        "open('result', 'w').write('mine'); os.fchmod(os.open('result', 0), 0)"
    ),
    "more than is asked for": "open('extra', 'w').write('mine'); open('k.cu', 'w')",
    "a sparse file without an end": "open('result', 'w').truncate(1 << 40)",
    "a file that grows": "open('result', 'wb', 0).write(bytes(40 << 20))",
    "many files": (
        "for number in range(9): open(f'{number}.log', 'wb', 0).write(bytes(1 << 20))"
    ),
    "a name that writes to a terminal": "open('\\x1b]0;owned\\x07.log', 'w')",
    "a name of two lines": "open('a\\nb.log', 'w')",
    "a name that is turned around": "open('\\u202ea.log', 'w')",
    "a name that is no text": "open(b'caf\\xe9.log', 'w')",
    "folders without an end": (
        "for _ in range(900): os.mkdir('d'); os.chdir('d')\nopen('a.log', 'w')"
    ),
    "a file exchanged while it is read": (
        "open('result', 'w').write('mine')\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    while True:\n"
        "        for make in (lambda: os.symlink('{victim}', 'new'), "
        "lambda: open('new', 'w').close()):\n"
        "            make(); os.rename('new', 'result')"
    ),
    "the folder itself": "os.rename('.', '../mine')",
    "a link in the folder's place": "os.rmdir(os.getcwd()); os.symlink('/etc', os.getcwd())",
}
