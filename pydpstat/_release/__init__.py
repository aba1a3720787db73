"""How a release comes about: a question, its noise, and the one place where value and noise meet."""
