"""How make is asked over a tree: in which folders, with which goals."""
