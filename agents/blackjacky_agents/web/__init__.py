"""A table in the browser: people in one or several browsers, and agents. Needs the extra `web`."""
