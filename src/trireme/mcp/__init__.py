"""The MCP server: games as tools, resources and prompts of the Model Context Protocol."""
