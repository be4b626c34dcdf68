"""Addresses of repositories that want a program started, or a file or a credential handed out."""

from __future__ import annotations

from typing import Final

ADDRESSES: Final = {
    "CVE-2015-7545 a transport that runs a command": "ext::sh -c touch% /tmp/out",
    "CVE-2017-1000117 a host that is an option of ssh": "ssh://-oProxyCommand=evil/o/n",
    "CVE-2017-14867 a user that is an option of ssh": "ssh://-oProxyCommand=evil@h.org/o/n",
    "CVE-2018-17456 a path that is an option of git": "git@h.org:-u./evil",
    "CVE-2018-19486 a program of the folder": "fd://17/o/n",
    "CVE-2020-5260 a credential for another host": "https://h.org/%0ahost=evil/n",
    "CVE-2020-11008 a credential for no host": "https:///o/n",
    "CVE-2022-39253 objects of this machine": "/etc",
    "CVE-2023-22490 objects of this machine, through a link": "file:///etc/../root",
    "CVE-2024-50349 a host that is painted over": "https://h.org%1b[2K/o/n",
    "CVE-2024-52006 a credential behind the end of a line": "https://h.org/o/n%0d",
    "CVE-2025-48384 a name behind the end of a line": "https://h.org/o/n\r",
    "CVE-2025-48385 a bundle from elsewhere": "https://h.org/o/n?bundle-uri=file:///etc",
    "a revision that is an option": "https://h.org/o/n@--upload-pack=evil",
    "a revision that is written to": "https://h.org/o/n@main:evil",
    "a helper of the tree": "evil::https://h.org/o/n",
}
