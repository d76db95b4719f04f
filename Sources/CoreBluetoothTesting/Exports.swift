// Re-exports for tests that say `import CoreBluetoothTesting`: Core Bluetooth itself, the settings of the air, and
// where and what devices are on it.

@_exported public import CoreBluetooth

@_exported public import struct BluetoothAir.AirPosition
@_exported public import struct BluetoothAir.AirSettings
@_exported public import struct BluetoothAir.AirWall
@_exported public import struct BluetoothAir.Attenuation
@_exported public import struct BluetoothAir.ControllerModel
