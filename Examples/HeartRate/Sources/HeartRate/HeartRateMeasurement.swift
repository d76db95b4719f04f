// The value of the characteristic Heart Rate Measurement (GATT Specification Supplement, 3.113): flags, then the fields
// that they announce.

import Foundation

/// A measurement of a heart rate sensor.
public struct HeartRateMeasurement: Equatable, Sendable {
    /// Beats per minute.
    public var rate: Int
    /// Whether the sensor touches the skin; `nil` if it cannot tell.
    public var hasContact: Bool?
    /// The energy expended since the last reset, in kJ; `nil` if it is not sent.
    public var energy: Int?
    /// The times between beats, in 1/1024 s, the oldest first.
    public var intervals: [Int]

    /// Creates a measurement.
    public init(rate: Int, hasContact: Bool? = nil, energy: Int? = nil, intervals: [Int] = []) {
        self.rate = rate
        self.hasContact = hasContact
        self.energy = energy
        self.intervals = intervals
    }

    /// The measurement in a value; `nil` if it is too short for its flags.
    public init?(_ value: Data) {
        var octets = ArraySlice(value)
        func number(_ count: Int) -> Int? {
            guard octets.count >= count else { return nil }
            defer { octets = octets.dropFirst(count) }
            return octets.prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        guard let flags = number(1), let rate = number(flags & 0x01 == 0 ? 1 : 2) else { return nil }
        self.init(rate: rate)
        if flags & 0x04 != 0 { self.hasContact = flags & 0x02 != 0 }
        if flags & 0x08 != 0 {
            guard let energy = number(2) else { return nil }
            self.energy = energy
        }
        if flags & 0x10 != 0 {
            while let interval = number(2) { self.intervals.append(interval) }
        }
    }
}
