"""Bots for Halunken & Spelunken."""
