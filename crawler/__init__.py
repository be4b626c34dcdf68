"""The pure core: values in, values out; it knows no queue, no SQL and no cloud."""
