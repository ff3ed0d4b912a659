"""The reference implementation of Black Spy."""
