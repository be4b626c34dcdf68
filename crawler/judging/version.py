"""Version of the `judge` stage: raise it when the same candidate would get another judgement."""

from typing import Final

VERSION: Final = "3"
