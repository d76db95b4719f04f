// The database by itself.

import Foundation
import SensorValues
import Testing

@testable import SensorLog

@Suite struct StoreTests {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)").path

    private func withStore(_ body: (MeasurementStore, Int64) throws -> Void) throws {
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: self.path + end) } }
        let store = try MeasurementStore(path: self.path)
        try body(store, store.register(identity: "ABCD-1", peripheral: UUID(), name: "Kitchen"))
    }

    private func sample(_ number: UInt32, _ temperature: Int16? = 1) -> Sample {
        Sample(number: number, milliseconds: Int64(number) * 1000, temperature: temperature, humidity: nil)
    }

    @Test func storesEachNumberOnce() throws {
        try self.withStore { store, sensor throws in
            try store.store([self.sample(1), self.sample(2)], of: sensor)
            try store.store([self.sample(2, 99), self.sample(3)], of: sensor)
            #expect(try store.measurements(of: sensor) == [self.sample(1), self.sample(2), self.sample(3)])
            let other = try store.register(identity: "ABCE-2", peripheral: UUID(), name: nil)
            try store.store([self.sample(2, 5)], of: other)
            #expect(try store.measurements(of: other) == [self.sample(2, 5)])
            #expect(try store.sensors().map(\.name) == ["Kitchen", "Sensor ABCE"])
        }
    }

    @Test func waitsForTheDisk() throws {
        // The sensor forgets acknowledged measurements: NORMAL would lose them with the power.
        try self.withStore { store, _ throws in
            let synchronous = try store.synchronous()
            #expect(synchronous == 2)
        }
    }

    @Test func knowsASensorAgain() throws {
        try self.withStore { store, sensor throws in
            let address = UUID()
            #expect(try store.register(identity: "ABCD-1", peripheral: address, name: nil) == sensor)
            #expect(try store.sensors().map(\.peripheral) == [address.uuidString])
            #expect(try store.sensors().map(\.name) == ["Kitchen"])
            #expect(try store.setForgotten(true, named: "abcd") == 1)
            #expect(try store.setForgotten(true, named: "abc") == 0)
            #expect(try store.setForgotten(true, named: "") == 0)
            #expect(try store.register(identity: "ABCD-1", peripheral: address, name: "Kitchen") == sensor)
            #expect(try store.sensors().map(\.isForgotten) == [true])
        }
    }

    @Test func drawsACurveOfFewPoints() throws {
        try self.withStore { store, sensor throws in
            try store.store((1...1000).map { self.sample($0, Int16($0)) }, of: sensor)
            let history = try store.history(since: 500_000, until: 1_000_000, points: 50)
            #expect((45...52).contains(history.values.count))
            #expect(history.after == 1000)
            #expect(history.values.map(\.time) == history.values.map(\.time).sorted())
            let temperatures = history.values.compactMap(\.temperature)
            #expect(temperatures == temperatures.sorted())
            #expect((500...1000).contains(temperatures.first ?? 0))
            #expect(try store.values(after: 998, limit: 500).map(\.time) == [999_000, 1_000_000])
            #expect(try store.values(after: 1000, limit: 500).isEmpty)
        }
    }
}
