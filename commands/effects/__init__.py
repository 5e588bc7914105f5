"""What touches the world for the commands: files, git, the clock."""
