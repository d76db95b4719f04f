// The services and characteristics of a sensor, by UUID.
//
// Environmental Sensing and Battery are of the Bluetooth SIG: any app shows them, and any sensor of that kind is
// logged. Numbers and earlier values, for which they have no place, are in a service of our own, Measurement Log:
//
//     Identity       read            16 octets, made at random with the sensor's memory
//     Measurements   notify          records: all unacknowledged ones, the oldest first, then each new one
//     Acknowledged   read, write     4 octets: the measurement up to which all are stored, and may be forgotten

/// UUIDs, as text.
package enum Attributes {
    /// Service Environmental Sensing.
    package static let environmentalSensing = "181A"
    /// Characteristic Temperature, 0.01 °C.
    package static let temperature = "2A6E"
    /// Characteristic Humidity, 0.01 %.
    package static let humidity = "2A6F"
    /// Service Battery.
    package static let battery = "180F"
    /// Characteristic Battery Level, %.
    package static let batteryLevel = "2A19"
    /// Service Measurement Log.
    package static let measurementLog = "B7F30001-52D4-4C6B-9E1A-6E0C5D3A8F14"
    /// Characteristic Identity.
    package static let identity = "B7F30002-52D4-4C6B-9E1A-6E0C5D3A8F14"
    /// Characteristic Measurements.
    package static let measurements = "B7F30003-52D4-4C6B-9E1A-6E0C5D3A8F14"
    /// Characteristic Acknowledged.
    package static let acknowledged = "B7F30004-52D4-4C6B-9E1A-6E0C5D3A8F14"
}
