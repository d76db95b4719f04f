// A device that only looks like a sensor: whatever it sends, the logger goes on, and the other sensors are logged.

#if canImport(CoreBluetoothTesting)
import CoreBluetoothTesting
import Foundation
import SensorValues
import Testing

@testable import SensorLog

@Suite struct HostileSensorTests {
    private let world = World(seed: 1)
    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    private func impostor(
        identity: Data = Data(1...16),
        acknowledges: Bool = true,
        properties: CBCharacteristicProperties = .notify
    ) -> ScriptedDevice {
        self.world.addPeripheral(
            ScriptedPeripheral(
                name: "Impostor",
                services: [
                    .init("181A", characteristics: []),
                    .init(
                        Attributes.measurementLog,
                        characteristics: [
                            .init(Attributes.identity, properties: .read, value: identity),
                            .init(Attributes.measurements, properties: properties),
                            .init(
                                Attributes.acknowledged,
                                properties: .write,
                                onWrite: { _, _ in acknowledges ? .success : .error(.unlikelyError) }
                            ),
                        ]
                    ),
                ],
                advertisement: .init(services: [CBUUID(string: "181A")])
            )
        )
    }

    private func logger() throws -> TestLogger {
        let logger = try TestLogger(in: self.world, self.folder)
        logger.begin()
        return logger
    }

    private func record(_ number: UInt32) -> Data {
        Sample(number: number, milliseconds: 5, temperature: 1, humidity: 2).octets
    }

    private let measurements = CBUUID(string: Attributes.measurements)

    @Test func pausesWithAnIdentityOfAnotherLength() throws {
        let impostor = self.impostor(identity: Data([1, 2, 3]))
        let logger = try self.logger()
        try self.world.run(until: logger.lines.contains { $0.contains("its identity has 3 octets") })
        try self.world.run(until: impostor.linkCount == 0)
        let count = logger.lines.count
        self.world.advance(by: .seconds(5))
        #expect(logger.lines.count == count)
        // It is tried again, at leisure.
        try self.world.run(until: logger.lines.count > count, within: .seconds(10))
    }

    @Test(arguments: [Data(), Data([1]), Data(count: 13), Data(count: 15)])
    func pausesWithWhatIsNoRecord(value: Data) throws {
        let impostor = self.impostor()
        let logger = try self.logger()
        try self.world.run(until: impostor.hasSubscriber(for: self.measurements))
        impostor.notify(value, for: Attributes.measurements)
        try self.world.run(until: logger.lines.contains { $0.contains("no whole records") })
        try self.world.run(until: impostor.linkCount == 0)
    }

    @Test func survivesTheHighestNumbers() throws {
        let impostor = self.impostor()
        let logger = try self.logger()
        try self.world.run(until: impostor.hasSubscriber(for: self.measurements))
        for number: UInt32 in [.max, 0, .max - 1, .max, 1] {
            impostor.notify(self.record(number), for: Attributes.measurements)
            self.world.advance(by: .seconds(1))
        }
        #expect(try logger.stored("Impostor").map(\.number) == [0, 1, .max - 1, .max])
    }

    @Test func asksOnceMoreForWhatIsMissing() throws {
        let impostor = self.impostor()
        let logger = try self.logger()
        try self.world.run(until: impostor.hasSubscriber(for: self.measurements))
        impostor.notify(self.record(1), for: Attributes.measurements)
        impostor.notify(self.record(4), for: Attributes.measurements)
        // It subscribes once more; nothing behind the gap is acknowledged.
        try self.world.run(until: !impostor.hasSubscriber(for: self.measurements))
        try self.world.run(until: impostor.hasSubscriber(for: self.measurements))
        #expect(impostor.writes.map(\.value) == [Data([1, 0, 0, 0])])
        for number: UInt32 in 2...4 { impostor.notify(self.record(number), for: Attributes.measurements) }
        try self.world.run(until: impostor.writes.last?.value == Data([4, 0, 0, 0]))
        #expect(try logger.stored("Impostor").map(\.number) == [1, 2, 3, 4])
        #expect(try logger.store.sensors().first?.missing == 0)
    }

    @Test func pausesWithASensorThatTakesNoAcknowledgement() throws {
        let impostor = self.impostor(acknowledges: false)
        let logger = try self.logger()
        try self.world.run(until: impostor.hasSubscriber(for: self.measurements))
        impostor.notify(self.record(1), for: Attributes.measurements)
        try self.world.run(until: logger.lines.contains { $0.contains("takes no acknowledgement") })
        #expect(try logger.stored("Impostor").map(\.number) == [1])
    }

    @Test func logsOthersMeanwhile() throws {
        let impostor = self.impostor(properties: .read)
        let sensor = try TestSensor("Kitchen", in: self.world, self.folder)
        let logger = try self.logger()
        try self.world.run(until: sensor.ring.acknowledged >= 40, within: .seconds(60))
        #expect(try logger.stored("Kitchen") == sensor.kept)
        withExtendedLifetime(impostor) {}
    }
}
#endif
