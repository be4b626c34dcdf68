"""Reading and unpacking untrusted archives."""
