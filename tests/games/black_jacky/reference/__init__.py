"""The reference implementation of Black Jacky."""
