"""Containers of single runs, as the Open Container Initiative specifies them."""
