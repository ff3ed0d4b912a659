"""Attacks on the package, one module for each kind; see torture.py."""
