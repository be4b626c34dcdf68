"""Licences by name, by class and by phrases of their texts; identifiers are SPDX's."""

from __future__ import annotations

from typing import Final

COPYLEFT_PREFIXES: Final = (
    "GPL-",
    "LGPL-",
    "AGPL-",
    "MPL-",
    "EPL-",
    "CDDL-",
    "EUPL-",
    "OSL-",
    "CC-BY-SA",
)
RESTRICTED_PREFIXES: Final = (
    "CC-BY-NC",
    "LicenseRef-",
    "BUSL-",
    "SSPL-",
    "CC-BY-ND",
    "PolyForm",
)
PERMISSIVE_LICENCES: Final = frozenset(
    {
        "MIT",
        "MIT-0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSD-3-Clause-Clear",
        "0BSD",
        "Apache-2.0",
        "ISC",
        "Zlib",
        "Unlicense",
        "BSL-1.0",
        "CC0-1.0",
        "PSF-2.0",
        "Python-2.0",
        "NCSA",
        "X11",
        "WTFPL",
        "BSD-4-Clause",
        "CC-BY-4.0",
    }
)
COMMON_NAMES: Final = {
    "mit": "MIT",
    "mit license": "MIT",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "apache": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "gpl": "GPL-3.0-only",
    "gplv3": "GPL-3.0-only",
}
"""What people write for a licence, in lower case, to its SPDX identifier."""
CLASSIFIERS: Final = {
    "Apache Software License": "Apache-2.0",
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "GNU Affero General Public License v3": "AGPL-3.0-only",
}
"""Of Python packages, by the last part of `License :: …`."""
TEXT_PHRASES: Final = (
    # These texts name licences that come after: the GPL names the AGPL, the MPL names all three.
    ("GPL-3.0-only", ("gnu general public license version 3, 29 june 2007",)),
    ("LGPL-2.0-only", ("gnu library general public license version 2, june 1991",)),
    ("MPL-2.0", ("mozilla public license version 2.0", "secondary license")),
    ("LicenseRef-NVIDIA-NC", ("nvidia", "non-commercially")),
    ("LicenseRef-NVIDIA-NC", ("nvidia source code license",)),
    ("CC-BY-NC-4.0", ("attribution-noncommercial 4.0",)),
    ("AGPL-3.0-only", ("gnu affero general public license", "version 3")),
    ("LGPL-3.0-only", ("gnu lesser general public license", "version 3")),
    ("LGPL-2.1-only", ("gnu lesser general public license", "version 2.1")),
    ("GPL-3.0-only", ("gnu general public license", "version 3, 29 june 2007")),
    ("GPL-2.0-only", ("gnu general public license", "version 2, june 1991")),
    ("MPL-2.0", ("mozilla public license", "version 2.0")),
    ("Apache-2.0", ("apache license", "version 2.0", "terms and conditions")),
    ("BSL-1.0", ("boost software license - version 1.0",)),
    ("CC0-1.0", ("cc0 1.0 universal", "creative commons legal code")),
    (
        "Unlicense",
        ("this is free and unencumbered software released into the public domain",),
    ),
    (
        "MIT",
        (
            "permission is hereby granted, free of charge",
            "without restriction",
            'the software is provided "as is"',
        ),
    ),
    ("ISC", ("permission to use, copy, modify, and or distribute this software",)),
    (
        "BSD-3-Clause",
        ("redistribution and use in source and binary forms", "neither the name"),
    ),
    (
        "BSD-2-Clause",
        (
            "redistribution and use in source and binary forms",
            "this list of conditions",
        ),
    ),
)
"""Phrases of each licence's own text, every one of which must be there; the first match counts.

They are as `crawler.licences.detection` reads a text: in lower case, without the signs of comments.
"""
