"""Files that one process writes at a time: whole or not at all, checked when they are read."""
