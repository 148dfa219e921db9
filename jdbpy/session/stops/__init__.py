"""What a stop shows, and when it is read: where the thread stands, its source, and the first look at its variables."""
