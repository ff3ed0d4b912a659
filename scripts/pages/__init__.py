"""Tables and pictures of the pages, made of results and of the games themselves."""
