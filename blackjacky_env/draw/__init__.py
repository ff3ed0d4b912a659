"""The scene, which says what lies on a table, and its renderers: pictures, text for terminals, words."""
