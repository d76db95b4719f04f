// The L2CAP channels of a peripheral in a world, octet by octet: what is sent back on a described one, and what the
// benchmark's confirms and sends.

import CommandLineTool
import CoreBluetoothTesting
import Testing

@testable import CoreBluetoothCommand

/// Opens a channel, sends what it is given, and takes what comes where it reads.
@MainActor
private final class ChannelClient: NSObject, @preconcurrency CBCentralManagerDelegate,
    @preconcurrency CBPeripheralDelegate,
    @preconcurrency StreamDelegate
{
    private(set) var received = Data()
    private(set) var isOpen = false
    var reads = true
    private let psm: CBL2CAPPSM
    private var unsent = Data()
    private var central: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var channel: CBL2CAPChannel?

    init(_ psm: CBL2CAPPSM) {
        self.psm = psm
        super.init()
        central = CBCentralManager(delegate: self, queue: nil)
    }

    func send(_ data: Data) {
        unsent += data
        move()
    }

    func close() { channel?.close() }

    func move() {
        while !unsent.isEmpty, let output = channel?.outputStream, output.hasSpaceAvailable {
            let octets = [UInt8](unsent)
            let count = output.write(octets, maxLength: octets.count)
            guard count > 0 else { break }
            unsent = Data(unsent.dropFirst(count))
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while reads, let input = channel?.inputStream, input.hasBytesAvailable {
            let count = input.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { return }
            received += buffer[..<count]
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.openL2CAPChannel(psm)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.channel = channel
        channel?.open(for: self)
        isOpen = channel != nil
    }

    func stream(_ stream: Stream, handle event: Stream.Event) { move() }
}

@Suite("Channels of a peripheral")
@MainActor
struct PublishedChannelTests {
    private func peripheral(
        _ json: String?,
        benchmark: Bool,
        in world: World,
        _ print: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> PeripheralSession {
        let description = try json.map { try GATTDescription(json: Data($0.utf8), from: "t.json") }
        return world.addDevice("peripheral").run {
            let session = PeripheralSession(
                name: "Peer",
                advertised: [],
                description: description,
                benchmark: benchmark,
                output: OutputFormat(isJSON: false, isVerbose: false, write: print)
            )
            session.start()
            return session
        }
    }

    @Test("The benchmark's channel confirms all that was announced, sends what is ordered, and goes on so")
    func benchmark() throws {
        let world = World()
        let session = try peripheral(nil, benchmark: true, in: world)
        let server = try #require(session.server)
        try world.run(until: server.psm != 0)
        let client = world.addDevice("client").run { ChannelClient(server.psm) }
        try world.run(until: client.isOpen)
        let number = { (count: UInt64) in count.littleEndianData }
        // Announced in two pieces; confirmed when the last octet is there.
        client.send(number(5).prefix(3))
        world.advance(by: .seconds(1))
        client.send(number(5).dropFirst(3) + [1, 2, 3, 4])
        world.advance(by: .seconds(1))
        #expect(client.received.isEmpty)
        client.send(Data([5]))
        try world.run(until: client.received == Data([1]))
        // Nothing is confirmed at once.
        client.send(number(0))
        try world.run(until: client.received == Data([1, 1]))
        for count in [3, 100_000] as [UInt64] {
            let before = client.received.count
            client.send(number(count | BenchmarkService.sendsBit))
            try world.run(until: client.received.count == before + Int(count))
            world.advance(by: .seconds(1))
            #expect(client.received.count == before + Int(count))
        }
        client.send(number(2) + [1, 2])
        try world.run(until: client.received.count == 100_006)
        #expect(client.received.last == 1)
    }

    @Test("A described channel sends back all that comes, also to a client that takes it late")
    func echo() throws {
        let world = World()
        let json = #"{ "name": "Safe", "services": [], "channels": [{}] }"#
        let session = try peripheral(json, benchmark: false, in: world)
        let client = world.addDevice("client").run { ChannelClient(192) }
        try world.run(until: client.isOpen)
        client.reads = false
        let octets = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
        client.send(octets)
        world.advance(by: .seconds(60))
        #expect(client.received.isEmpty)
        client.reads = true
        client.move()
        try world.run(until: client.received.count == octets.count)
        #expect(client.received == octets)
        withExtendedLifetime(session) {}
    }

    @Test("Beside the benchmark's service a described one has its own values, and the services that it includes")
    func besideBenchmark() throws {
        let world = World()
        let session = try peripheral(
            #"""
            { "services": [ { "uuid": "FFF2", "primary": false }, { "uuid": "FFF3", "primary": false },
              { "uuid": "FFF0", "includes": ["FFF3"], "characteristics": [
                { "uuid": "FFF1", "properties": ["read", "write"], "value": { "uint8": 7 } } ] } ] }
            """#,
            benchmark: true,
            in: world
        )
        let testbed = try ToolTestbed(world)
        let connection = try testbed.connect("Peer")
        #expect(try testbed.perform("read FFF1", on: connection) == ["07"])
        try testbed.perform("write FFF1 0102", on: connection)
        #expect(try testbed.perform("read FFF1", on: connection) == ["01 02"])
        let echo = try testbed.perform("read \(BenchmarkService.echo.uuidString) --hex", on: connection)
        #expect(echo == [String(repeating: "2A", count: 20)])
        let included = try testbed.perform {
            let service = try await testbed.central.discoverServices().first { $0.uuid == CBUUID(string: "FFF0") }
            return try await testbed.central.discoverIncludedServices(of: try #require(service)).map(\.uuid)
        }
        #expect(included == [CBUUID(string: "FFF3")])
        withExtendedLifetime(session) {}
    }
}
