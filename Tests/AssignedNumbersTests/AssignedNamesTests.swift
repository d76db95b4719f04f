// Checks the names of 16-bit UUIDs against the Bluetooth SIG's own list.

import BluetoothTypes
import Testing

@testable import AssignedNumbers

@Suite("The names of UUIDs")
struct AssignedNamesTests {
    /// Some UUIDs and names as the Bluetooth SIG lists them (Assigned Numbers, 3.4, 3.5, 3.7 and 3.8).
    private static let assigned = """
        1800 Generic Access
        1805 Current Time Service
        1809 Health Thermometer
        180F Battery Service
        1814 Running Speed and Cadence
        181E Bond Management
        1827 Mesh Provisioning
        1840 Generic Health Sensor
        184B Telephone Bearer Service
        1854 Hearing Access
        2803 Characteristic
        2902 Client Characteristic Configuration
        2904 Characteristic Format
        2908 Report Reference
        290F Complete BR-EDR Transport Block Data
        2910 Observation Schedule
        2911 Valid Range and Accuracy
        2A08 Date Time
        2A13 Time Source
        2A19 Battery Level
        2A1C Temperature Measurement
        2A21 Measurement Interval
        2A2A IEEE Regulatory Certification
        2A37 Heart Rate Measurement
        2A38 Body Sensor Location
        2A46 New Alert
        2A4F Scan Interval Window
        2A5A Aggregate
        2A65 Cycling Power Feature
        2A6E Temperature
        2A77 Irradiance
        2A8A First Name
        2A9A User Index
        2AA0 Magnetic Flux Density - 2D
        2AA3 Barometric Pressure Trend
        2AAC CGM Specific Ops Control Point
        2ABF Object Type
        2ACC Fitness Machine Feature
        2ADA Fitness Machine Status
        2B77 Audio Input State
        2B85 Coordinated Set Size
        2BA4 Media Control Point
        2BCA Sink Audio Locations
        2BDC Active Preset Index
        """

    /// Only letters and digits: the list differs in other characters.
    private static func letters(_ name: some StringProtocol) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    @Test("are those of the Bluetooth SIG, and UUIDs are found by them")
    func names() throws {
        for line in Self.assigned.split(separator: "\n") {
            let value = try #require(UInt16(line.prefix(4), radix: 16))
            let name = try #require(AssignedNames[BluetoothUUID(value)], "\(line)")
            // Services are shown without the word.
            let isNamed = ["", "service"].contains { Self.letters(name) + $0 == Self.letters(line.dropFirst(5)) }
            #expect(isNamed, "\(line): \(name)")
        }
        #expect(AssignedNames.uuid(named: "heart rate measurement") == BluetoothUUID(0x2A37))
        // Both a service and a characteristic.
        #expect(AssignedNames.uuid(named: "Current Time") == nil)
        #expect(AssignedNames.uuid(named: "no such name") == nil)
    }

    @Test("are the SIG's from 0x1800 to 0x2FFF, and of companies from 0xFC00")
    func others() {
        let named = (UInt16.min ... .max).filter { AssignedNames[BluetoothUUID($0)] != nil }
        #expect(named.count > 500 && named.allSatisfy { (0x1800...0x2FFF).contains($0) })
        let owned = (UInt16.min ... .max).filter {
            AssignedNames[BluetoothUUID($0)] == nil && AssignedNames.name(of: BluetoothUUID($0)) != nil
        }
        #expect(owned.count > 600)
        #expect(owned.allSatisfy { $0 >= 0xFC00 })
    }

    @Test(
        "include services of companies by their UUIDs of 16 or 128 bits, which are not found by name",
        arguments: [
            // Of Apple, Google, Nordic Semiconductor, Google and Tile (Assigned Numbers, 3.11).
            ("FD6F", "Exposure Notification"), ("FDF0", "Audio Streaming for Hearing Aid"),
            ("FE59", "Nordic Secure DFU"), ("FEAA", "Eddystone"), ("FEED", "Tile"), ("FFFA", "ASTM Remote ID"),
            ("6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "Nordic UART"),
            ("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", "UART RX"),
            ("6E400003-B5A3-F393-E0A9-E50E24DCCA9E", "UART TX"), ("6E40FFFF-B5A3-F393-E0A9-E50E24DCCA9E", nil),
            // From Apple's specifications of its notification center and media service.
            ("7905F431-B5CE-4E99-A40F-4B1E122D00D0", "Apple Notification Center"),
            ("89D3502B-0F36-433A-8EF4-C502AD55F8DC", "Apple Media"),
        ] as [(String, String?)]
    )
    func companies(text: String, name: String?) throws {
        let uuid = try #require(BluetoothUUID(text))
        #expect(AssignedNames.name(of: uuid) == name)
        #expect(AssignedNames[uuid] == nil)
        #expect(name.flatMap(AssignedNames.uuid(named:)) == nil)
    }

    @Test("are completed from their beginnings")
    func beginnings() {
        #expect(AssignedNames.names(beginningWith: "heart rate m") == ["Heart Rate Max", "Heart Rate Measurement"])
        #expect(AssignedNames.names(beginningWith: "no such") == [])
    }
}
