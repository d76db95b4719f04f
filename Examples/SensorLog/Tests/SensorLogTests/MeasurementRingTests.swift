// The sensor's memory, and the form of a measurement on the air.

import Foundation
import SensorValues
import Testing

@testable import Sensor

@Suite struct MeasurementRingTests {
    private let folder: URL

    init() throws {
        self.folder = FileManager.default.temporaryDirectory.appendingPathComponent("ring-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    private var path: String { self.folder.appendingPathComponent("memory").path }

    private func remove() { try? FileManager.default.removeItem(at: self.folder) }

    @discardableResult
    private func fill(_ ring: MeasurementRing, _ count: Int) throws -> [Sample] {
        try (0..<count).map { index in
            try ring.append(milliseconds: Int64(index), temperature: Int16(index), humidity: UInt16(index))
        }
    }

    @Test func goesOnWithNumbersAfterAStart() throws {
        defer { self.remove() }
        var ring = try MeasurementRing(path: self.path, capacity: 10)
        let identity = ring.identity
        let first = try self.fill(ring, 3)
        try ring.acknowledge(2)
        // Another process cannot take it meanwhile.
        #expect(throws: MeasurementRing.Failure.self) { try MeasurementRing(path: self.path) }
        ring = try self.reopened(&ring)
        #expect(ring.identity == identity)
        #expect(ring.capacity == 10)
        #expect(ring.acknowledged == 2)
        #expect(ring.measurements(from: 1, limit: 100) == first)
        #expect(try self.fill(ring, 1)[0].number == 4)
    }

    /// As a new process opens it: the old one's lock is gone.
    private func reopened(_ ring: inout MeasurementRing) throws -> MeasurementRing {
        let path = self.path
        let other = path + ".copy"
        // The file as it is on disk now, under its own name again.
        try FileManager.default.copyItem(atPath: path, toPath: other)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: other, toPath: path)
        return try MeasurementRing(path: path)
    }

    @Test func keepsTheNewest() throws {
        defer { self.remove() }
        var ring = try MeasurementRing(path: self.path, capacity: 5)
        let all = try self.fill(ring, 12)
        for _ in 0..<2 {
            #expect(ring.oldest == 8)
            #expect(ring.measurements(from: 1, limit: 100) == all.suffix(5))
            #expect(ring.measurements(from: 10, limit: 2) == all[9...10].map { $0 })
            #expect(ring.measurements(from: 13, limit: 2).isEmpty)
            ring = try self.reopened(&ring)
        }
        // A measurement that does not exist cannot be acknowledged.
        try ring.acknowledge(13)
        #expect(ring.acknowledged == 0)
    }

    @Test func takesATornPlaceForNothing() throws {
        defer { self.remove() }
        var ring = try MeasurementRing(path: self.path, capacity: 5)
        let all = try self.fill(ring, 4)
        try ring.acknowledge(4)
        // Half of the fourth was written when the power failed.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: self.path))
        try file.seek(toOffset: 128 + 4 * 24 + 7)
        try file.write(contentsOf: Data(count: 17))
        try file.close()
        ring = try self.reopened(&ring)
        #expect(ring.newest == 3)
        #expect(ring.measurements(from: 1, limit: 100) == all.dropLast())
        // An acknowledgement of what is not there does not count.
        #expect(ring.acknowledged == 0)
        #expect(try self.fill(ring, 1)[0].number == 4)
    }

    @Test(arguments: [0, 40, 64, 248]) func makesAnewWhatWasNeverFinished(size: Int) throws {
        defer { self.remove() }
        try Data(count: size).write(to: URL(fileURLWithPath: self.path))
        let ring = try MeasurementRing(path: self.path, capacity: 5)
        #expect(try self.fill(ring, 1)[0].number == 1)
    }

    @Test func leavesAnotherFileAlone() throws {
        defer { self.remove() }
        let content = Data((0..<200).map { UInt8($0) })
        try content.write(to: URL(fileURLWithPath: self.path))
        #expect(throws: MeasurementRing.Failure.self) { try MeasurementRing(path: self.path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: self.path)) == content)
    }

    @Test func hasTheOctetsOfTheDescription() throws {
        let sample = Sample(number: 258, milliseconds: 1_700_000_000_000, temperature: -5, humidity: 4321)
        #expect(sample.octets == Data([2, 1, 0, 0, 0x00, 0x68, 0xE5, 0xCF, 0x8B, 0x01, 0xFB, 0xFF, 0xE1, 0x10]))
        #expect(Sample(sample.octets) == sample)
        #expect(Sample.samples(in: sample.octets + sample.octets) == [sample, sample])
        let unknown = Sample(number: 1, milliseconds: 0, temperature: nil, humidity: nil)
        #expect(unknown.octets.suffix(4) == Data([0x00, 0x80, 0xFF, 0xFF]))
        #expect(Sample(unknown.octets) == unknown)
        #expect(checksum(Data("123456789".utf8)) == 0xCBF4_3926)
    }

    @Test func decodesAnything() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            let octets = Data((0..<Int.random(in: 0...60)).map { _ in UInt8.random(in: 0...255, using: &random) })
            let samples = Sample.samples(in: octets)
            #expect((samples != nil) == (!octets.isEmpty && octets.count % Sample.size == 0))
            #expect(samples?.reduce(into: Data()) { $0 += $1.octets } ?? octets == octets)
        }
    }
}
