"""What every game shares: the Game declaration, compiling and its cache, random numbers, batches."""
