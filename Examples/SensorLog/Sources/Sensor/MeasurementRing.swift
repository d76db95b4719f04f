// The sensor's memory: a file with a fixed number of places, used in a circle, as a chip would use its flash memory.
//
//     octets 0…63     "SENSOR01", identity (16), number of places (4), checksum (4)
//     octets 64…127   twice: acknowledged number (4), checksum (4), in 32 octets each, written in turn
//     octets 128…     places of 24 octets: record (14), checksum (4), 6 unused; measurement n is in place n mod count
//
// A measurement exists once its place is written and synced. A killed process or a power failure leaves the last place
// whole or torn; a torn one has a wrong checksum, counts as never measured, and its number is used again. Acknowledged
// measurements are not erased, so numbers continue even after everything was stored.

import Foundation
import SensorValues

/// Persistent storage of the newest measurements.
package final class MeasurementRing {
    /// Something is wrong with the file.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let magic = Data("SENSOR01".utf8)
    private static let headSize = 128
    private static let placeSize = 24

    /// Random, created with the file: another file is another sensor, whose numbers begin with 1 again.
    package let identity: UUID
    /// The number of measurements that are kept.
    package let capacity: Int
    /// The highest number that a logger has stored; 0 for none.
    package private(set) var acknowledged: UInt32 = 0
    /// The highest number that was measured; 0 for none.
    package private(set) var newest: UInt32 = 0

    private let file: CInt

    /// Opens the file, or creates it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - capacity: The number of measurements that a new file keeps, 1 to 10 million. An existing file keeps its
    ///     capacity.
    /// - Throws: ``Failure`` if it cannot be read or written, is in use, or is another kind of file.
    package init(path: String, capacity: Int = 10_000) throws {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure(description: "\(path): \(String(cString: strerror(errno)))") }
        do {
            (self.identity, self.capacity) = try Self.prepare(file, path, min(max(capacity, 1), 10_000_000))
        } catch {
            close(file)
            throw error
        }
        self.file = file
        for place in 0..<self.capacity { self.newest = max(self.newest, self.measurement(inPlace: place)?.number ?? 0) }
        for offset in [64, 96] {
            guard let octets = Self.read(self.file, at: offset, count: 8) else { continue }
            let number = UInt32(truncatingIfNeeded: octets.littleEndian(at: 0, count: 4))
            let isWhole = checksum(octets.prefix(4)) == UInt32(truncatingIfNeeded: octets.littleEndian(at: 4, count: 4))
            if isWhole, number <= self.newest { self.acknowledged = max(self.acknowledged, number) }
        }
    }

    deinit { close(self.file) }

    /// The oldest number that is kept; one more than the newest if there is none.
    package var oldest: UInt32 { self.newest < self.capacity ? 1 : self.newest - UInt32(self.capacity) + 1 }

    /// Stores a measurement; it is on disk when this returns.
    ///
    /// - Throws: ``Failure`` if it cannot be written; then it was not measured.
    @discardableResult
    package func append(milliseconds: Int64, temperature: Int16?, humidity: UInt16?) throws -> Sample {
        guard self.newest < .max - 1 else { throw Failure(description: "all numbers are used") }
        let measurement = Sample(
            number: self.newest + 1,
            milliseconds: milliseconds,
            temperature: temperature,
            humidity: humidity
        )
        var octets = measurement.octets
        octets.append(littleEndian: UInt64(checksum(octets)), count: 4)
        try Self.write(self.file, octets, at: Self.headSize + Int(measurement.number) % self.capacity * Self.placeSize)
        try Self.sync(self.file)
        self.newest = measurement.number
        return measurement
    }

    /// The measurements with the numbers from `number` on that are kept, the lowest first.
    package func measurements(from number: UInt32, limit: Int) -> [Sample] {
        let first = max(number, self.oldest)
        guard first <= self.newest, limit > 0 else { return [] }
        let last = UInt32(min(UInt64(self.newest), UInt64(first) + UInt64(limit) - 1))
        return (first...last).compactMap { number in
            self.measurement(inPlace: Int(number) % self.capacity).flatMap { $0.number == number ? $0 : nil }
        }
    }

    /// All measurements up to `number` are stored elsewhere.
    ///
    /// Not synced: after a power failure some measurements may be sent again, but they are stored only once.
    package func acknowledge(_ number: UInt32) throws {
        guard number > self.acknowledged, number <= self.newest else { return }
        var octets = Data()
        octets.append(littleEndian: UInt64(number), count: 4)
        octets.append(littleEndian: UInt64(checksum(octets)), count: 4)
        self.isSecondTurn.toggle()
        try Self.write(self.file, octets, at: self.isSecondTurn ? 96 : 64)
        self.acknowledged = number
    }

    private var isSecondTurn = false

    private func measurement(inPlace place: Int) -> Sample? {
        let offset = Self.headSize + place * Self.placeSize
        guard let octets = Self.read(self.file, at: offset, count: Sample.size + 4) else { return nil }
        let record = octets.prefix(Sample.size)
        let sum = UInt32(truncatingIfNeeded: octets.littleEndian(at: Sample.size, count: 4))
        guard checksum(record) == sum, let measurement = Sample(record), measurement.number > 0 else { return nil }
        return Int(measurement.number) % self.capacity == place ? measurement : nil
    }

    // MARK: The head

    private static func prepare(_ file: CInt, _ path: String, _ capacity: Int) throws -> (UUID, Int) {
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            throw Failure(description: "\(path) is in use by another process")
        }
        // A process that ended while it made the file has left no head, and no measurement.
        guard let head = self.read(file, at: 0, count: 64), head.contains(where: { $0 != 0 }) else {
            return try self.make(file, capacity)
        }
        let made = Int(head.littleEndian(at: 24, count: 4))
        let sum = UInt32(truncatingIfNeeded: head.littleEndian(at: 28, count: 4))
        guard head.prefix(8) == self.magic, checksum(head.prefix(28)) == sum, made > 0 else {
            throw Failure(description: "\(path) is not the memory of a sensor")
        }
        var uuid = UUID().uuid
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: head.dropFirst(8).prefix(16)) }
        return (UUID(uuid: uuid), made)
    }

    private static func make(_ file: CInt, _ capacity: Int) throws -> (UUID, Int) {
        let identity = UUID()
        var head = self.magic
        withUnsafeBytes(of: identity.uuid) { head.append(contentsOf: $0) }
        head.append(littleEndian: UInt64(capacity), count: 4)
        head.append(littleEndian: UInt64(checksum(head)), count: 4)
        // The places first: a file with a head is whole.
        guard ftruncate(file, off_t(self.headSize + capacity * self.placeSize)) == 0 else {
            throw Failure(description: "no space: \(String(cString: strerror(errno)))")
        }
        try self.write(file, head, at: 0)
        try self.sync(file)
        return (identity, capacity)
    }

    // MARK: Octets

    private static func read(_ file: CInt, at offset: Int, count: Int) -> Data? {
        var octets = Data(count: count)
        let done = octets.withUnsafeMutableBytes { pread(file, $0.baseAddress, count, off_t(offset)) }
        return done == count ? octets : nil
    }

    private static func write(_ file: CInt, _ octets: Data, at offset: Int) throws {
        let done = octets.withUnsafeBytes { pwrite(file, $0.baseAddress, octets.count, off_t(offset)) }
        guard done == octets.count else {
            throw Failure(description: "cannot write: \(String(cString: strerror(errno)))")
        }
    }

    private static func sync(_ file: CInt) throws {
        guard fsync(file) == 0 else { throw Failure(description: "cannot sync: \(String(cString: strerror(errno)))") }
    }
}

/// CRC-32, as Ethernet has it (IEEE 802.3, 3.2.9).
func checksum(_ octets: Data) -> UInt32 {
    ~octets.reduce(0xFFFF_FFFF as UInt32) { $0 >> 8 ^ checksumTable[Int(truncatingIfNeeded: $0 & 0xFF) ^ Int($1)] }
}

private let checksumTable: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(index as UInt32) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
}
