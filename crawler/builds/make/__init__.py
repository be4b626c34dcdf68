"""Run make over untrusted Makefiles, dry or with stub compilers."""
