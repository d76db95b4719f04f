"""Scenarios of OpenCoreBluetooth with hosts and controllers of others."""
