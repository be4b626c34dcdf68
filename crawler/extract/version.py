"""Version of the stages `extract` and `link`: raised when the same sources would give other
kernels or units.
"""

from __future__ import annotations

from typing import Final

VERSION: Final = "124"
