// A scripted peripheral out of a capture behaves as the one that was captured.

import BluetoothHCI
import BluetoothTransport
import BluetoothTypes
import CoreBluetoothTesting
import Fixtures
import NIOCore
import Testbed
import Testing

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

    /// A sensor with all kinds of attributes: included services, 128-bit UUIDs, descriptors, long values, values by
    /// itself, and answers to what is written.
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

    @Test("Of the central's capture and of the peripheral's, it has the same database, values, rhythm and answers")
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

    @Test("A PacketLogger file in either order of octets gives the same", arguments: [Endianness.big, .little])
    func packetLogger(endianness: Endianness) throws {
        let (sight, _, central) = try Self.captures()
        let file = try PacketLoggerWriter.file(of: central, endianness)
        let (again, _) = try Self.explore(try ScriptedPeripheral(capture: file), seed: 7)
        #expect(again.database == sight.database)
        #expect(again.rhythm == sight.rhythm)
        #expect(again.notified.sorted() == sight.notified.sorted())
    }

    @Test("What the capture does not have is an error at the line where the script was made, and in the trace")
    func unseen() throws {
        let world = World(seed: 8)
        world.addPeripheral(Self.sensor(), as: "sensor")
        let shy = world.addDevice("phone").run { Explorer() }
        (shy.reads, shy.subscribes) = (false, false)
        try world.run(until: shy.isConnected)
        world.advance(by: .seconds(5))
        let capture = try Self.capture(of: world, "phone")
        let rate = CBUUID(string: "2A38")
        for step in ["read", "write", "subscribe", "descriptor"] {
            let line = #line + 1
            let script = try ScriptedPeripheral(capture: capture)
            let world = World(seed: 9)
            let device = world.addPeripheral(script)
            let phone = world.addDevice("phone").run { Explorer() }
            (phone.reads, phone.subscribes) = (false, false)
            phone.writes = Self.writes
            try world.run(until: phone.characteristic("6E400005-B5A3-F393-E0A9-E50E24DCCA9E")?.descriptors != nil)
            world.advance(by: .seconds(2))
            let expected: String
            switch step {
            case "read":
                let characteristic = try #require(phone.characteristic(rate.uuidString))
                phone.peripheral?.readValue(for: characteristic)
                expected = "the capture has no value for characteristic 2A38"
            case "write":
                phone.writeNext()
                expected =
                    "the capture has no write of 010203 to characteristic 6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
            case "subscribe":
                let characteristic = try #require(phone.characteristic("2A37"))
                phone.peripheral?.setNotifyValue(true, for: characteristic)
                expected = "the capture has no subscription to characteristic 2A37"
            default:
                let descriptor = try #require(
                    phone.characteristic(rate.uuidString)?.descriptors?.first { $0.uuid == CBUUID(string: "2901") }
                )
                phone.peripheral?.readValue(for: descriptor)
                expected = "the capture has no value for descriptor 2901"
            }
            let error = #expect(throws: WorldError.self, "\(step)") { try world.run(until: false) }
            let reason = try #require(error?.reason)
            #expect(reason.contains("CapturedPeripheralTests.swift:\(line): \"Sensor\": \(expected)"), "\(reason)")
            #expect(device.trace.contains(expected), "\(step)")
        }
    }

    @Test("What the capture lacks can be said by the script")
    func updated() throws {
        let (_, _, central) = try Self.captures()
        var script = try ScriptedPeripheral(capture: central)
        #expect(!script.update("FFFF") { _ in })
        #expect(
            script.update("6E400002-B5A3-F393-E0A9-E50E24DCCA9E") {
                $0.onWrite = { value, device in
                    device.notify(value + [0], for: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
                    return .success
                }
            }
        )
        let (sight, _) = try Self.explore(
            script,
            writes: [("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", [77])]
        )
        #expect(sight.notified.contains { $0.contains("[77, 0]") })
        #expect(!sight.errors.contains { $0.contains("6E400002") })
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

    @Test("Of several peripherals one is chosen by name or address, and the error names those that there are")
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

    @Test("A capture without a connection, or without a discovery, says what to record")
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

    @Test("A file that is cut off, damaged or none is refused in one line")
    func damaged() throws {
        let (_, _, central) = try Self.captures()
        let cut = try #require(Self.line(central.dropLast(3)))
        #expect(cut.contains("the capture ends inside a record, behind "), "\(cut)")
        #expect(cut.hasPrefix("CoreBluetoothTestingTests/CapturedPeripheralTests.swift:"), "\(cut)")
        let foreign = "this is no capture: neither a btsnoop nor a PacketLogger file begins like this"
        for content in ["<html>", "{\"a\": 1}", String(repeating: "x", count: 4096)] {
            #expect(Self.line(Data(content.utf8))?.hasSuffix(foreign) == true)
        }
        #expect(Self.line(Data())?.hasSuffix("the capture is empty") == true)
        #expect(throws: (any Error).self) { try ScriptedPeripheral(capture: "/nowhere/at/all") }
        let other = Data("btsnoop\0".utf8) + [0, 0, 0, 2, 0, 0, 3, 0xEA]
        #expect(Self.line(other)?.contains("a btsnoop file of another kind: Version Number") == true)
    }

    @Test("Data of an encrypted link is plain in a capture, and what was refused before demands encryption")
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

    /// One octet more, less or otherwise, or an end.
    private static func change(_ data: inout Data, using generator: inout SeededGenerator) {
        guard let place = data.indices.randomElement(using: &generator) else { return }
        switch Int.random(in: 0..<16, using: &generator) {
        case 0: data.remove(at: place)
        case 1: data.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        case 2: data = Data(data.prefix(upTo: place))
        default: data[place] = UInt8.random(in: 0...255, using: &generator)
        }
    }

    /// A capture whose packets are changed, left out, doubled and in another order, and whose times are wrong.
    private static func changed(_ data: Data, using generator: inout SeededGenerator) throws -> Data {
        var bytes = ByteBuffer()
        BTSnoopWriter.writeFileHeader(into: &bytes)
        var records = try CaptureReader.records(of: ByteBuffer(bytes: data))
        for _ in 0..<Int.random(in: 1...80, using: &generator) {
            let index = Int.random(in: 0..<records.count, using: &generator)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: records.remove(at: index)
            case 1: records.insert(records[index], at: Int.random(in: 0..<records.count, using: &generator))
            case 2: records.swapAt(index, max(0, index - 1))
            case 3: records[index].time.microsecondsSince1970 = Int64.random(in: .min ... .max, using: &generator)
            case 4: records[index].direction = records[index].direction == .toHost ? .toController : .toHost
            default:
                // Behind the handle and the lengths, which would make a packet that nobody reads.
                var octets = Array(records[index].packet.bytes.readableBytesView)
                let first = records[index].packet.kind == .aclData ? 9 : 3
                guard octets.count > first else { continue }
                octets[Int.random(in: first..<octets.count, using: &generator)] = .random(
                    in: 0...255,
                    using: &generator
                )
                records[index].packet = HCIPacket(h4: ByteBuffer(bytes: octets))
            }
        }
        for record in records { BTSnoopWriter.write(record.packet, record.direction, at: record.time, into: &bytes) }
        return Data(bytes.readableBytesView)
    }

    @Test("No file can trap: octets of captures are changed, cut and doubled", arguments: 0..<20)
    func mutated(seed: UInt64) throws {
        let (_, peripheral, central) = try Self.captures()
        let logger = try PacketLoggerWriter.file(of: central, seed % 2 == 0 ? .big : .little)
        var generator = SeededGenerator(seed: seed)
        var scripts = 0
        for round in 0..<40 {
            var data = [central, peripheral, logger][Int.random(in: 0..<3, using: &generator)]
            if round % 2 == 0 {
                data = try Self.changed(data, using: &generator)
            } else {
                for _ in 0..<Int.random(in: 1...60, using: &generator) { Self.change(&data, using: &generator) }
            }
            guard let script = try? ScriptedPeripheral(capture: Data(data)) else { continue }
            scripts += 1
            let world = World(seed: seed)
            world.addPeripheral(script, as: "sensor")
            let phone = world.addDevice("phone").run { Explorer() }
            world.advance(by: .seconds(3))
            if phone.isConnected { phone.writeNext() }
            // What is wrong with the script is thrown, and nothing worse.
            try? world.run(until: false, within: .seconds(1))
        }
        #expect(scripts > 0)
    }
}
