"""Search over what may be hidden."""
