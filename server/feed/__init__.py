"""What spectators get: frames, snapshots and deltas, live and replayed, over sockets and between nodes."""
