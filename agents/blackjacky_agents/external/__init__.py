"""Agents from outside this package: Python classes and programs in any language."""
