"""The web server: rooms, seats and sockets over the same games, records and agents."""
