"""GPUs: detect them, run kernel units on them, and judge the results."""
