"""How much the cases of a suite can tell: the branches that they take, and the mutants of the kernel that they kill."""
