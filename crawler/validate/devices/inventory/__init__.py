"""GPUs as the vendors' command line tools list them."""
