"""Games as text for language models: what a seat is told, its answers, and tables for assistants (MCP)."""
