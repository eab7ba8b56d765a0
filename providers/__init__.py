"""Models behind one small protocol: they stream text, and they answer typed questions."""
