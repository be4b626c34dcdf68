"""From evidence to launches that a kernel can be run with: memory by tracing, contents, cases."""
