"""Pure decisions: what the rules of the design say of values that somebody else has read."""
