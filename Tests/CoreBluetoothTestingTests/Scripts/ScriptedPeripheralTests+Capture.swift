// A scripted peripheral from a capture behaves like the captured one.

import BluetoothHCI
import BluetoothTransport
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("ScriptedPeripheral of a capture")
struct CapturedPeripheralTests {
    /// What an explorer saw of a peripheral.
    struct Sight: Equatable {
        var advertisement: String
        var database: [String]
        var notified: [String]
        var errors: [String]
        /// When values came after the first one, in milliseconds, to the tenth of a second.
        var rhythm: [Int]
    }

    static let long = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"

    /// A sensor with all kinds of attributes: included services, 128-bit UUIDs, descriptors, long values, updates, and
    /// answers to writes.
    static func sensor() -> ScriptedPeripheral {
        ScriptedPeripheral(
            name: "Sensor",
            services: [
                .init("180F", isPrimary: false, characteristics: [.init("2A19", properties: .read, value: Data([88]))]),
                .init(
                    "180D",
                    characteristics: [
                        .init(
                            "2A37",
                            properties: .notify,
                            updates: .every(.milliseconds(500)) { Data([0, UInt8(60 + $0 % 100)]) },
                            descriptors: [
                                .presentationFormat(0x04, unit: 0x27AF), .validRange(Data([30]), Data([220])),
                            ]
                        ),
                        .init("2A38", properties: .read, value: Data([1]), userDescription: "Where it is worn"),
                    ],
                    includes: [CBUUID(string: "180F")]
                ),
                .init(
                    Self.long,
                    characteristics: [
                        .init(
                            "6E400002-B5A3-F393-E0A9-E50E24DCCA9E",
                            properties: [.write, .writeWithoutResponse],
                            onWrite: { value, device in
                                guard value.first != 0xFF else { return .error(.invalidAttributeValueLength) }
                                device.after(.milliseconds(200)) {
                                    device.notify(Data(value.reversed()), for: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
                                }
                                return .success
                            }
                        ),
                        .init("6E400003-B5A3-F393-E0A9-E50E24DCCA9E", properties: [.notify, .indicate]),
                        .init(
                            "6E400004-B5A3-F393-E0A9-E50E24DCCA9E",
                            properties: [.read, .extendedProperties],
                            value: Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
                        ),
                        .init(
                            "6E400005-B5A3-F393-E0A9-E50E24DCCA9E",
                            properties: .read,
                            onRead: { _ in .error(.init(rawValue: 0x80) ?? .unlikelyError) }
                        ),
                    ]
                ),
            ],
            genericAttribute: .serviceChanged
        )
    }

    static let writes: [(uuid: String, value: [UInt8])] = [
        ("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", [1, 2, 3]), ("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", [0xFF]),
        ("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", [9]),
    ]

    /// Lets an explorer look at a script for ten seconds.
    static func explore(
        _ script: ScriptedPeripheral,
        seed: UInt64 = 5,
        writes: [(uuid: String, value: [UInt8])] = Self.writes
    ) throws -> (sight: Sight, world: World) {
        let world = World(seed: seed)
        world.addPeripheral(script, as: "sensor")
        let explorer = world.addDevice("phone").run { Explorer() }
        explorer.writes = writes
        var times: [Duration] = []
        explorer.onNotification = { if $0.hasPrefix("2A37") { times.append(world.now) } }
        try world.run(until: explorer.isConnected)
        world.advance(by: .seconds(4))
        for number in writes.indices {
            explorer.writeNext()
            try world.run(until: explorer.written > number)
            world.advance(by: .seconds(2))
        }
        let start = times.first ?? .zero
        let sight = Sight(
            advertisement: explorer.advertisement,
            database: explorer.database,
            notified: explorer.notified,
            errors: explorer.errors,
            rhythm: times.map { Int(($0 - start) / .milliseconds(1) + 50) / 100 * 100 }
        )
        return (sight, world)
    }

    /// The captures of a conversation with the sensor: the peripheral's and the central's.
    static func captures() throws -> (sight: Sight, peripheral: Data, central: Data) {
        let (sight, world) = try Self.explore(Self.sensor())
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let paths = try world.writeCaptures(named: "sensor", folder: folder.path)
        let contents = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        return (sight, contents[0], contents[1])
    }

    @Test("has the database, values, timing and answers of either side's capture")
    func roundTrip() throws {
        let (sight, peripheral, central) = try Self.captures()
        #expect(sight.database.count > 20 && sight.rhythm.count > 10 && sight.errors.count == 2, "\(sight)")
        #expect(sight.notified.contains { $0.contains("[3, 2, 1]") })
        for (side, capture) in [("central", central), ("peripheral", peripheral)] {
            let script = try ScriptedPeripheral(capture: capture)
            #expect(script.name == "Sensor")
            #expect(script.unseen.isEmpty, "\(script.unseen)")
            #expect(script.genericAttribute == .serviceChanged)
            let (again, _) = try Self.explore(script, seed: 6)
            #expect(again.advertisement == sight.advertisement, "\(side)")
            #expect(again.database == sight.database, "\(side)")
            #expect(again.errors == sight.errors, "\(side)")
            #expect(again.rhythm == sight.rhythm, "\(side)")
            #expect(again.notified.sorted() == sight.notified.sorted(), "\(side)")
        }
    }

    @Test("reports a value that the capture does not have at the line where the script was made")
    func unseen() throws {
        let world = World(seed: 8)
        world.addPeripheral(Self.sensor(), as: "sensor")
        let shy = world.addDevice("phone").run { Explorer() }
        (shy.reads, shy.subscribes) = (false, false)
        try world.run(until: shy.isConnected)
        world.advance(by: .seconds(5))
        let capture = try Self.capture(of: world, "phone")
        for isDescriptor in [false, true] {
            let line = #line + 1
            let script = try ScriptedPeripheral(capture: capture)
            let world = World(seed: 9)
            let device = world.addPeripheral(script)
            let phone = world.addDevice("phone").run { Explorer() }
            (phone.reads, phone.subscribes) = (false, false)
            try world.run(until: phone.characteristic("2A38")?.descriptors?.isEmpty == false)
            let characteristic = try #require(phone.characteristic("2A38"))
            if isDescriptor {
                let descriptor = characteristic.descriptors?.first { $0.uuid == CBUUID(string: "2901") }
                phone.peripheral?.readValue(for: try #require(descriptor))
            } else {
                phone.peripheral?.readValue(for: characteristic)
            }
            let error = #expect(throws: WorldError.self) { try world.run(until: false) }
            let expected = "the capture has no value for " + (isDescriptor ? "descriptor 2901" : "characteristic 2A38")
            let place = "ScriptedPeripheralTests+Capture.swift:\(line): \"Sensor\": "
            #expect(error?.reason.contains(place + expected) == true, "\(error?.reason ?? "")")
            #expect(device.trace.contains(expected))
        }
    }

    /// The capture of one device of a world.
    static func capture(of world: World, _ device: String) throws -> Data {
        let folder = try TemporaryFolder()
        let paths = try world.writeCaptures(named: "c", folder: folder.path)
        let path = try #require(paths.first { $0.hasSuffix("-\(device).btsnoop") })
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    private static func line(_ data: Data, device: String? = nil) -> String? {
        do {
            _ = try ScriptedPeripheral(capture: data, device: device)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test("chooses one of several peripherals by name or address, or lists them")
    func several() throws {
        let world = World(seed: 10)
        world.addPeripheral(Self.sensor())
        world.addPeripheral(.thermometer())
        let explorers = world.addDevice("phone").run { [Explorer(), Explorer()] }
        (explorers[0].name, explorers[1].name) = ("Sensor", "Thermo")
        try world.run(until: explorers.allSatisfy(\.isConnected))
        world.advance(by: .seconds(5))
        let capture = try Self.capture(of: world, "phone")
        let line = try #require(Self.line(capture))
        #expect(line.contains("the capture has conversations with 2 peripherals, choose one: "), "\(line)")
        #expect(line.contains("\"Sensor\"") && line.contains("\"Thermo\""))
        #expect(!line.contains("\n"))
        #expect(
            try ScriptedPeripheral(capture: capture, device: "Thermo").services.map(\.uuid.uuidString) == [
                "1809", "180F",
            ]
        )
        let addresses = line.split(separator: " ").filter { $0.count == 17 && $0.contains(":") }
        #expect(try ScriptedPeripheral(capture: capture, device: addresses[0].lowercased()).name != nil)
        let other = try #require(Self.line(capture, device: "C0:00:00:00:00:01"))
        #expect(other.contains("no conversation with C0:00:00:00:00:01; it has "), "\(other)")
    }

    @Test("says what to record if there is no connection or no discovery")
    func noDiscovery() throws {
        let world = World(seed: 11)
        let sensor = world.addPeripheral(Self.sensor())
        let phone = world.addDevice("phone").run { Explorer() }
        phone.name = "Nobody"
        world.advance(by: .seconds(2))
        let idle = try #require(Self.line(try Self.capture(of: world, "phone")))
        #expect(idle.contains("the capture has no connection (1 device was heard): record while a central connects"))
        phone.name = "Sensor"
        phone.central.stopScan()
        phone.central.scanForPeripherals(withServices: nil)
        try world.run(until: phone.isConnected)
        let short = try #require(Self.line(try Self.capture(of: world, "phone")))
        #expect(short.contains("the capture has no discovery of the services of "), "\(short)")
        #expect(short.contains("record a first connection"))
        #expect(sensor.linkCount == 1)
    }

    @Test("reads the whole records of a file that is cut off, and refuses one that is damaged or foreign in one line")
    func damaged() throws {
        let (_, _, central) = try Self.captures()
        #expect(Self.line(central.dropLast(3)) == nil)
        var octets = central
        octets[octets.startIndex + 20] = 0xFF
        let damaged = try #require(Self.line(octets))
        #expect(damaged.contains("the capture is damaged after 0 packets: "), "\(damaged)")
        #expect(damaged.hasPrefix("CoreBluetoothTestingTests/ScriptedPeripheralTests+Capture.swift:"), "\(damaged)")
        #expect(Self.line(Data("<html>".utf8))?.contains("this is no capture: ") == true)
        #expect(throws: (any Error).self) { try ScriptedPeripheral(capture: "/nowhere/at/all") }
    }

    @Test("requires encryption where the captured peripheral rejected requests without it")
    func encrypted() throws {
        let safe = ScriptedPeripheral(
            name: "Sensor",
            services: [
                .init(
                    "FFF0",
                    characteristics: [.init("FFF1", properties: .read, value: Data([42]), security: .encrypted)]
                )
            ]
        )
        let (sight, world) = try Self.explore(safe, writes: [])
        #expect(sight.database.contains("FFF1 [42]"), "\(sight.database)")
        let script = try ScriptedPeripheral(capture: try Self.capture(of: world, "phone"))
        #expect(script.services.first?.characteristics.first?.security == .encrypted)
        let again = World(seed: 12)
        let device = again.addPeripheral(script)
        let phone = again.addDevice("phone").run { Explorer() }
        try again.run(until: phone.database.contains("FFF1 [42]"))
        #expect(device.bondCount == 1)
    }

    @Test("gives each long read the next recorded value as a whole")
    func longReads() throws {
        func read(_ script: ScriptedPeripheral, setsValues: Bool = false) throws -> (values: [[UInt8]], world: World) {
            let world = World(seed: 3)
            let device = world.addPeripheral(script, as: "sensor")
            let reader = world.addDevice("phone").run { Reader() }
            reader.subscribes = false
            for number in 1...3 {
                if setsValues { device.setValue(Data(repeating: UInt8(number), count: 60), of: Reader.measurement) }
                if number > 1 { reader.peripheral?.readValue(for: try #require(reader.characteristic)) }
                try world.run(until: reader.values.count == number)
            }
            return (reader.values, world)
        }
        let script = ScriptedPeripheral(
            name: "Sensor",
            services: [.init("1809", characteristics: [.init("2A1C", properties: .read, value: Data())])],
            mtu: 23
        )
        let (values, world) = try read(script, setsValues: true)
        #expect(values == (1...3).map { Array(repeating: UInt8($0), count: 60) })
        #expect(world.trace.containing("Read Blob Request").count >= 6, "each read takes several requests")
        for device in ["sensor", "phone"] {
            #expect(try read(ScriptedPeripheral(capture: try Self.capture(of: world, device))).values == values)
        }
    }
}
