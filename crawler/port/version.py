"""Version of the port stage; raise it when equal input would give different output."""

from typing import Final

VERSION: Final = "24"
