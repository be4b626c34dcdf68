"""Version of the `validate` stage: raise it when the same input would give another output."""

from typing import Final

VERSION: Final = "21"
