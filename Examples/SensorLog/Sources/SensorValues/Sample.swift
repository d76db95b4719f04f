// A sensor's measurement, and its form on the air. Both sides use this file; it knows nothing of Bluetooth.
//
// A value of the characteristic Measurements is a row of records, all integers little-endian:
//
//     octets   0  1  2  3   4  5  6  7  8  9   10 11         12 13
//              number       time               temperature   humidity
//
// number: 1, 2, 3 …, never used twice; time: milliseconds since 1970 by the sensor's clock; temperature: signed, 0.01
// °C, 0x8000 where it is not known; humidity: 0.01 %, 0xFFFF where it is not known. The last two are the values of the
// characteristics Temperature and Humidity (GATT Specification Supplement, 3.225 and 3.124). One record fits the value
// of the smallest ATT_MTU, 23.

import Foundation

/// One measurement of a sensor.
package struct Sample: Hashable, Sendable {
    /// The sensor counts its measurements: 1, 2, 3 …
    package var number: UInt32
    /// When it was measured, in milliseconds since 1970, by the sensor's clock.
    package var milliseconds: Int64
    /// The temperature in 0.01 °C; `nil` if it is not known.
    package var temperature: Int16?
    /// The relative humidity in 0.01 %; `nil` if it is not known.
    package var humidity: UInt16?

    /// The octets of a record.
    package static let size = 14
    /// Times that a record can have.
    package static let times: ClosedRange<Int64> = 0...0xFFFF_FFFF_FFFF

    /// Creates a measurement.
    package init(number: UInt32, milliseconds: Int64, temperature: Int16?, humidity: UInt16?) {
        self.number = number
        self.milliseconds = min(max(milliseconds, Self.times.lowerBound), Self.times.upperBound)
        self.temperature = temperature == .min ? nil : temperature
        self.humidity = humidity == .max ? nil : humidity
    }

    /// The record.
    package var octets: Data {
        var octets = Data()
        octets.append(littleEndian: UInt64(self.number), count: 4)
        octets.append(littleEndian: UInt64(self.milliseconds), count: 6)
        octets.append(littleEndian: UInt64(UInt16(bitPattern: self.temperature ?? .min)), count: 2)
        octets.append(littleEndian: UInt64(self.humidity ?? .max), count: 2)
        return octets
    }

    /// The measurement in a record; `nil` if the octets are too few or too many.
    package init?(_ octets: Data) {
        guard octets.count == Self.size, let number = UInt32(exactly: octets.littleEndian(at: 0, count: 4)) else {
            return nil
        }
        self.init(
            number: number,
            milliseconds: Int64(octets.littleEndian(at: 4, count: 6)),
            temperature: Int16(bitPattern: UInt16(truncatingIfNeeded: octets.littleEndian(at: 10, count: 2))),
            humidity: UInt16(truncatingIfNeeded: octets.littleEndian(at: 12, count: 2))
        )
    }

    /// The measurements in a value; `nil` if it is not a row of whole records.
    package static func samples(in value: Data) -> [Sample]? {
        guard !value.isEmpty, value.count.isMultiple(of: Self.size) else { return nil }
        return stride(from: 0, to: value.count, by: Self.size).compactMap { offset in
            Sample(value.dropFirst(offset).prefix(Self.size))
        }
    }
}

extension Data {
    /// Appends the lower octets of a number, the lowest first.
    public mutating func append(littleEndian number: UInt64, count: Int) {
        for index in 0..<count { self.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
    }

    /// The number in octets, the lowest first; octets that are not there count as 0.
    package func littleEndian(at offset: Int, count: Int) -> UInt64 {
        self.dropFirst(offset).prefix(count).enumerated().reduce(0) {
            $0 | UInt64($1.element) << (8 * UInt64($1.offset))
        }
    }
}
