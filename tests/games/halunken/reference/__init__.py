"""The reference implementation of Halunken & Spelunken."""
