"""Dispatch of tasks to the queues that live workers serve."""
