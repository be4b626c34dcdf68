"""Plugins: kinds of test suites, each with how a project of it is built and its tests are run."""
