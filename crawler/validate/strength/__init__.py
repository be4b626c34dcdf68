"""Strength of a suite of cases: branches covered and mutants killed."""
