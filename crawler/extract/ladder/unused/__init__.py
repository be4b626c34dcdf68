"""What a unit holds in vain: functions that nothing chooses, macros that nothing names."""
