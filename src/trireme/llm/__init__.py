"""Language models as agents: providers, prompts, answers, and the HTTP client between them."""
