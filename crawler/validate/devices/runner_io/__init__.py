"""Starting the runner in the sandbox, and reading its report."""
