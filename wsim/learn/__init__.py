"""Players that learn: positions of self-play, what their moves are worth by playouts, a net that is fitted to it."""
