"""What goes over the wire: messages, the shapes inside them, REST bodies, error codes, schema."""
