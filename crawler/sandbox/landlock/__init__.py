"""Hold a run by Landlock and a filter of system calls, where no namespace can be made."""
