"""What must be true: one file a stage, plus preflight. Checks look once and change nothing."""
