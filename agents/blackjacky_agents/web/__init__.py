"""Games in the browser between people, in one or several browsers, and agents. Needs the extra `web`."""
