"""Balance: the smallest patch that makes a game meet a designer's targets, and the proof of it on fresh deals."""
