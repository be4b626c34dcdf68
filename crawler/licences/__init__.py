"""Licences of repositories and files, as SPDX expressions."""
