"""Scenarios of OpenCoreBluetooth with Linux and BlueZ in a QEMU guest."""
