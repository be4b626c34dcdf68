"""Headers of Debian's packages, by apt's own programs; nothing is installed."""
