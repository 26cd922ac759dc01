"""Rules about whom a campaign calls, and when: values in, a verdict out."""
