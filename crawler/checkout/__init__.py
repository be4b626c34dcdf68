"""Files of a checkout: listing, include graph, private copies, files written by a build."""
