"""What pbs_probe and pbs_snapshot share: reading an installation as it lies on this host."""
