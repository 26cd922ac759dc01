"""The fault simulator and its tests."""
