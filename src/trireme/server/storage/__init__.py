"""The server's part of the database: event logs of rooms, retention, ratings of agents."""
