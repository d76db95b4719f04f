// The Bluetooth code of sensor and logger, both unmodified, in virtual time: hours pass in a moment, and what goes
// wrong does so in the middle of things.

#if canImport(CoreBluetoothTesting)
import CoreBluetoothTesting
import Foundation
import Sensor
import SensorValues
import Testing

@testable import SensorLog

@Suite struct LoggingTests {
    private let world = World(seed: 1)
    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    @Test func storesWhatTwoSensorsMeasure() throws {
        let kitchen = try TestSensor("Kitchen", in: self.world, self.folder)
        let attic = try TestSensor("Attic", in: self.world, self.folder)
        let logger = try TestLogger(in: self.world, self.folder)
        logger.begin()
        try self.world.run(
            until: kitchen.ring.acknowledged >= 20 && attic.ring.acknowledged >= 20,
            within: .seconds(60)
        )
        #expect(try logger.stored("Kitchen") == kitchen.kept)
        #expect(try logger.stored("Attic") == attic.kept)
    }

    @Test func goesOnAfterALostLink() throws {
        let sensor = try TestSensor("Kitchen", in: self.world, self.folder)
        let logger = try TestLogger(in: self.world, self.folder)
        logger.begin()
        for count in [5, 15, 25] {
            try self.world.run(until: sensor.ring.acknowledged >= count)
            sensor.device.dropLinks()
            try self.world.run(until: logger.lines.last { $0.contains("is gone") } != nil)
        }
        try self.world.run(until: sensor.ring.acknowledged >= 40, within: .seconds(60))
        #expect(logger.lines.filter { $0.contains("is connected") }.count == 4)
        #expect(try logger.stored("Kitchen") == sensor.kept)
    }

    @Test func deliversWhatWasMeasuredOutOfRange() throws {
        let sensor = try TestSensor("Kitchen", in: self.world, self.folder)
        let logger = try TestLogger(in: self.world, self.folder)
        logger.begin()
        try self.world.run(until: sensor.ring.acknowledged >= 5)
        sensor.device.distance = 1000
        self.world.advance(by: .seconds(1200))
        #expect(sensor.ring.acknowledged < 20)
        sensor.device.distance = 3
        // Twenty minutes' values within seconds, and then each new one.
        try self.world.run(until: sensor.ring.acknowledged >= 1200, within: .seconds(20))
        #expect(try logger.stored("Kitchen") == sensor.kept)
        #expect(try logger.store.sensors().first?.missing == 0)
    }

    @Test func keepsWhatIsMeasuredWithoutALogger() throws {
        let sensor = try TestSensor("Kitchen", in: self.world, self.folder)
        let logger = try TestLogger(in: self.world, self.folder)
        for pause in [1, 10, 100, 300] {
            logger.begin()
            let newest = sensor.ring.newest
            try self.world.run(until: sensor.ring.acknowledged > newest)
            logger.end()
            self.world.advance(by: .seconds(pause))
            #expect(sensor.ring.newest >= sensor.ring.acknowledged + UInt32(pause) - 1)
        }
        logger.begin()
        let newest = sensor.ring.newest
        #expect(newest > 400)
        try self.world.run(until: sensor.ring.acknowledged >= newest)
        #expect(try logger.stored("Kitchen") == sensor.kept)
    }

    @Test func leavesAForgottenSensorAloneAndTakesItUpAgain() throws {
        let kitchen = try TestSensor("Kitchen", in: self.world, self.folder)
        let attic = try TestSensor("Attic", in: self.world, self.folder)
        let logger = try TestLogger(in: self.world, self.folder)
        logger.begin()
        try self.world.run(until: kitchen.ring.acknowledged >= 5 && attic.ring.acknowledged >= 5)
        // As `sensorlog forget` does it, and the service notices.
        #expect(try logger.store.setForgotten(true, named: "Kitchen") == 1)
        logger.central?.refresh()
        try self.world.run(until: kitchen.device.linkCount == 0)
        let count = try logger.count("Kitchen")
        self.world.advance(by: .seconds(60))
        #expect(kitchen.device.linkCount == 0)
        #expect(try logger.count("Kitchen") == count)
        #expect(try logger.count("Attic") >= 60)
        // Also a new process leaves it alone.
        logger.end()
        logger.begin()
        self.world.advance(by: .seconds(60))
        #expect(kitchen.device.linkCount == 0)
        #expect(try logger.store.setForgotten(false, named: "Kitchen") == 1)
        logger.central?.refresh()
        try self.world.run(until: kitchen.ring.acknowledged >= 120)
        #expect(try logger.stored("Kitchen") == kitchen.kept)
        #expect(try logger.stored("Attic") == attic.kept)
    }

    @Test func takesNoNewSensorsWhereOnlyKnownOnesAreWanted() throws {
        let logger = try TestLogger(in: self.world, self.folder)
        let kitchen = try TestSensor("Kitchen", in: self.world, self.folder)
        logger.begin()
        try self.world.run(until: kitchen.ring.acknowledged >= 3)
        logger.end()
        let unknown = try TestSensor("Unknown", in: self.world, self.folder)
        logger.begin(takesNewSensors: false)
        try self.world.run(until: kitchen.ring.acknowledged >= 30, within: .seconds(60))
        #expect(unknown.device.linkCount == 0)
        #expect(try logger.stored("Kitchen") == kitchen.kept)
    }

    @Test func storesAGapWhereTheSensorHasOverwrittenValues() throws {
        let sensor = try TestSensor("Kitchen", in: self.world, self.folder, capacity: 50)
        let logger = try TestLogger(in: self.world, self.folder)
        logger.begin()
        try self.world.run(until: sensor.ring.acknowledged >= 5)
        logger.end()
        self.world.advance(by: .seconds(200))
        logger.begin()
        let newest = sensor.ring.newest
        try self.world.run(until: sensor.ring.acknowledged >= newest)
        let stored = try logger.stored("Kitchen")
        let missing = try logger.store.sensors().first?.missing
        // Each number is stored or known to be lost.
        #expect(missing == Int(sensor.ring.newest) - stored.count)
        #expect((missing ?? 0) > 100)
        #expect(stored.suffix(40) == sensor.kept.suffix(40))
        #expect(logger.lines.contains { $0.contains("no longer has") })
    }

    @Test func beginsAnewWithASensorThatLostItsMemory() throws {
        let logger = try TestLogger(in: self.world, self.folder)
        logger.begin()
        let device = self.world.addDevice("Kitchen")
        for file in ["first", "second"] {
            let ring = try MeasurementRing(path: self.folder.file(file))
            let sensor = device.run { SensorPeripheral(name: "Kitchen", ring: ring) }
            for number in 1...10 {
                let temperature = Int16(number * (file == "first" ? 1 : -1))
                try sensor.add(Reading(milliseconds: 0, temperature: temperature, humidity: nil))
            }
            try withExtendedLifetime(sensor) {
                try self.world.run(until: ring.acknowledged == 10, within: .seconds(60))
            }
        }
        let sensors = try logger.store.sensors()
        let temperatures = try sensors.map { try logger.store.measurements(of: $0.id).compactMap(\.temperature) }
        #expect(Set(temperatures) == [Array(1...10), (1...10).map { -$0 }])
    }

    @Test func logsASensorOfTheStandardServices() throws {
        let sensor = self.world.addPeripheral(
            ScriptedPeripheral(
                name: "Thermo",
                services: [
                    .init(
                        "181A",
                        characteristics: [
                            .init("2A6E", properties: [.read, .notify], value: Data([0, 0])),
                            .init("2A6F", properties: [.read, .notify], value: Data([0, 0])),
                        ]
                    ),
                    .init("180F", characteristics: [.init("2A19", properties: .read, value: Data([64]))]),
                ]
            )
        )
        let logger = try TestLogger(in: self.world, self.folder)
        logger.begin()
        try self.world.run(until: sensor.hasSubscriber(for: CBUUID(string: "2A6F")))
        sensor.notify(Data([0x66, 0x08]), for: "2A6E")
        sensor.notify(Data([0x88, 0x13]), for: "2A6F")
        // "Value is not known" (GATT Specification Supplement, 3.225) is nothing to store.
        sensor.notify(Data([0x00, 0x80]), for: "2A6E")
        sensor.notify(Data([0x9A, 0xFF]), for: "2A6E")
        try self.world.run(until: try logger.count("Thermo") == 3)
        let stored = try logger.stored("Thermo")
        #expect(stored.map(\.temperature) == [2150, nil, -102])
        #expect(stored.map(\.humidity) == [nil, 5000, nil])
        try self.world.run(until: try logger.store.sensors().first?.battery == 64)
        let shown = try logger.store.sensors().first
        #expect(shown?.temperature == -102)
        #expect(shown?.humidity == 5000)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func losesNothingWhateverGoesWrong(seed: UInt64) throws {
        let world = World(seed: seed)
        var random = SeededGenerator(seed)
        let sensors = try ["Kitchen", "Attic"].map { try TestSensor($0, in: world, self.folder) }
        let logger = try TestLogger(in: world, self.folder)
        logger.begin()
        for _ in 0..<30 {
            let sensor = sensors[Int(random.next() % 2)]
            switch random.next() % 7 {
            case 0: sensor.device.dropLinks()
            case 1: sensor.device.distance = 1000
            case 2: world.loss = Double(random.next() % 60) / 100
            case 3: sensor.device.resetController()
            case 4: logger.device.resetController()
            case 5: logger.end()
            default: for _ in 0..<50 { sensor.measureOnce() }
            }
            world.advance(by: .milliseconds(Int(random.next() % 20_000)))
            if logger.central == nil { logger.begin() }
            sensor.device.distance = 1
            world.advance(by: .milliseconds(Int(random.next() % 5000)))
        }
        world.loss = 0
        for sensor in sensors { sensor.measures = false }
        try world.run(until: sensors.allSatisfy { $0.ring.acknowledged == $0.ring.newest }, within: .seconds(120))
        for sensor in sensors { #expect(try logger.stored(sensor.name) == sensor.kept) }
        #expect(try logger.store.sensors().map(\.missing) == [0, 0])
    }
}
#endif
