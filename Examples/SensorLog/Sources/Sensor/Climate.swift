// The source of a sensor's values: a chip with a Linux driver, or a simulated room.

import Foundation

/// A measurement before it gets a number.
package struct Reading: Hashable, Sendable {
    /// When, in milliseconds since 1970.
    package var milliseconds: Int64
    /// The temperature in 0.01 °C.
    package var temperature: Int16?
    /// The relative humidity in 0.01 %.
    package var humidity: UInt16?

    /// Creates a reading.
    package init(milliseconds: Int64, temperature: Int16?, humidity: UInt16?) {
        self.milliseconds = milliseconds
        self.temperature = temperature
        self.humidity = humidity
    }
}

/// Measures.
package protocol Climate: AnyObject {
    /// The present values.
    func reading(at milliseconds: Int64) -> Reading
}

/// A simulated room: a day's curve, a heating that switches.
package final class InventedRoom: Climate {
    private let base: Double
    private var noise: UInt64

    /// A room; equal seeds give equal rooms.
    package init(seed: UInt64) {
        self.base = 18 + Double(seed % 7)
        self.noise = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    package func reading(at milliseconds: Int64) -> Reading {
        // Xorshift: enough for noise.
        self.noise ^= self.noise << 13
        self.noise ^= self.noise >> 7
        self.noise ^= self.noise << 17
        let noise = Double(self.noise % 1000) / 1000 - 0.5
        let hours = Double(milliseconds % 86_400_000) / 3_600_000
        let day = sin((hours - 9) / 24 * 2 * .pi)
        let heating = sin(hours * 2 * .pi * 1.5)
        let temperature = self.base + 2 * day + 0.6 * heating + 0.15 * noise
        let humidity = 48 - 6 * day - 2 * heating + 0.8 * noise
        return Reading(
            milliseconds: milliseconds,
            temperature: Int16((temperature * 100).rounded()),
            humidity: UInt16((humidity * 100).rounded())
        )
    }
}

/// A chip with a driver of Linux, such as bme280 or sht3x: its folder has files with the values
/// (the kernel's Documentation/ABI/testing/sysfs-bus-iio).
package final class KernelSensor: Climate {
    private let folder: URL

    /// The chip with a folder, such as `/sys/bus/iio/devices/iio:device0`.
    package init(folder: String) { self.folder = URL(fileURLWithPath: folder) }

    /// A value that cannot be read is unknown.
    package func reading(at milliseconds: Int64) -> Reading {
        Reading(
            milliseconds: milliseconds,
            temperature: self.value("in_temp_input").flatMap { Int16(exactly: ($0 / 10).rounded()) },
            humidity: self.value("in_humidityrelative_input").flatMap { UInt16(exactly: ($0 / 10).rounded()) }
        )
    }

    /// In thousandths of °C and of %.
    private func value(_ file: String) -> Double? {
        guard let text = try? String(contentsOf: self.folder.appendingPathComponent(file), encoding: .utf8) else {
            return nil
        }
        return Double(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
