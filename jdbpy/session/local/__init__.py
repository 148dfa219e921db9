"""What is on this machine: Java runtimes, tunnels."""
