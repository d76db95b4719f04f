// Default addresses of chips.

import BluetoothHCI
import BluetoothTypes
import Testing

@Suite("Placeholder addresses")
struct PlaceholderAddressesTests {
    @Test(
        "are recognized, and real addresses are not among them",
        arguments: [
            ("00:20:70:02:A0:00", true), ("20:70:02:A0:00:00", true), ("43:43:A0:12:1F:AC", true),
            ("43:43:A1:12:1F:AC", true), ("43:45:C5:00:1F:AC", true), ("00:00:00:00:5A:AD", true),
            ("00:00:00:00:00:00", true), ("FF:FF:FF:FF:FF:FF", true), ("B8:27:EB:01:02:03", false),
            ("00:1A:7D:DA:71:13", false), ("00:00:00:00:00:01", false),
        ]
    )
    func values(text: String, isPlaceholder: Bool) throws {
        #expect(try #require(DeviceAddress(text, kind: .public)).isPlaceholder == isPlaceholder)
    }
}
