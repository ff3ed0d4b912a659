"""The reference implementation of Schwarze Katze."""
