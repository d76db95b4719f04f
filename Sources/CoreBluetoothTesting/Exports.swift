// What a test gets that says `import CoreBluetoothTesting`: Core Bluetooth itself, and how the air can be.

@_exported public import CoreBluetooth

@_exported public import struct BluetoothAir.AirSettings
