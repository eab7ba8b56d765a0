"""What is known of models by their names: capabilities, limits and end dates, families, and prices."""
