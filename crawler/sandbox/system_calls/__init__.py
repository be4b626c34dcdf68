"""System calls that a sandboxed program may not make."""
