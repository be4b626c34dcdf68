"""Ways to isolate a run, a file each: the setting `sandbox` names one."""
