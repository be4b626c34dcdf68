"""Host code in a kernel unit: what is left out, and what must stay."""
