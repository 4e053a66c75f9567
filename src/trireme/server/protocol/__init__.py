"""The protocol of HTTP and WebSocket: messages, their parts, REST bodies, error codes, schema.

These are pydantic models, because FastAPI validates requests and builds the OpenAPI document from
them. pydantic stays in this package (a test holds it); whatever is stored, recorded or passed
between processes is a msgspec struct or a dataclass, and msgspec reads and writes it.
"""
