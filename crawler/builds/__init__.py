"""Learn how a checkout is compiled: build systems, and the compile database merged from them."""
