"""How a `setup.py` is run without what it asks for."""
