"""Behaviour of a kernel when one launch is repeated in other thread orders, warp sizes and
roundings.
"""
