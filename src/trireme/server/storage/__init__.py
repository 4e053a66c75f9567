"""What the server keeps in the database: events of rooms, their retention, agents' ratings."""
