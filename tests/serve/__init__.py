"""Sessions that are served, and those who join them."""
