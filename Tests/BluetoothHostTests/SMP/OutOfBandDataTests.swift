// Which out-of-band data count as present.

import BluetoothTypes
import Testing

@testable import BluetoothHost

@Suite("Out-of-band data")
struct OutOfBandDataTests {
    @Test("Each kind of data is out-of-band data by itself, and without any there are none (Vol 3, Part H, 2.3.3)")
    func presence() {
        var generator = SeededGenerator(seed: 1)
        let local = LocalOutOfBandData(using: &generator)
        #expect(!OutOfBandData().isPresent)
        #expect(OutOfBandData(temporaryKey: .zero).isPresent)
        #expect(OutOfBandData(peer: local.shared).isPresent)
        #expect(OutOfBandData(local: local).isPresent)
    }
}
