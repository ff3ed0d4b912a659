"""Networks that play: packed weights under compiled policies, and their files. Nothing here learns."""
