// The value's decoder: runs on every platform.

import Foundation
import HeartRate
import Testing

@Suite struct HeartRateMeasurementTests {
    @Test(arguments: [
        (Data([0x00, 72]), HeartRateMeasurement(rate: 72)),
        (Data([0x01, 0x2C, 0x01]), HeartRateMeasurement(rate: 300)),
        (Data([0x04, 72]), HeartRateMeasurement(rate: 72, hasContact: false)),
        (Data([0x06, 72]), HeartRateMeasurement(rate: 72, hasContact: true)),
        (Data([0x08, 72, 0x10, 0x27]), HeartRateMeasurement(rate: 72, energy: 10000)),
        (Data([0x10, 60, 0x00, 0x04, 0xFF, 0x03]), HeartRateMeasurement(rate: 60, intervals: [1024, 1023])),
        // A reserved flag, and an octet too many, are ignored.
        (Data([0xE0, 72, 9]), HeartRateMeasurement(rate: 72)),
    ])
    func decodes(value: Data, measurement: HeartRateMeasurement) { #expect(HeartRateMeasurement(value) == measurement) }

    @Test(arguments: [Data(), Data([0]), Data([1, 72]), Data([8, 72, 1])])
    func refusesWhatIsTooShort(value: Data) { #expect(HeartRateMeasurement(value) == nil) }
}
