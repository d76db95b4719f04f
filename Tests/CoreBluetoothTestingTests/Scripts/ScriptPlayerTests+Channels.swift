// L2CAP channels of a scripted device (Vol 3, Part A, 10.1), and a slow device.

import BluetoothHCI
import CoreBluetooth
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Channels of a scripted device")
struct ScriptChannelsTests {
    private static func octets(_ count: Int, _ seed: Int = 0) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ seed) })
    }

    /// A phone with an open channel to a device.
    private static func open(
        _ channel: ScriptedPeripheral.Channel
    ) throws -> (world: World, device: ScriptedDevice, phone: Explorer, channel: CBL2CAPChannel) {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read)])
        script.channels = [channel]
        let (world, device, phone) = try Explorer.meet(script)
        phone.peripheral?.openL2CAPChannel(channel.psm)
        try world.run(until: phone.channels.count == 1 && device.channels.count == 1)
        let opened = try #require(phone.channels.first)
        opened.inputStream?.open()
        opened.outputStream?.open()
        return (world, device, phone, opened)
    }

    /// Reads a number of octets, and then everything that arrives within two seconds.
    private static func read(_ count: Int, from input: InputStream, _ world: World) -> Data {
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        func take() {
            while input.hasBytesAvailable {
                let count = input.read(&buffer, maxLength: buffer.count)
                guard count > 0 else { break }
                received += buffer[..<count]
            }
        }
        for _ in 0..<4_000 where received.count < count {
            world.advance(by: .milliseconds(20))
            take()
        }
        world.advance(by: .seconds(2))
        take()
        return received
    }

    @Test("sends received octets back by default")
    func echo() throws {
        let (world, device, phone, channel) = try Self.open(.init(psm: 0x80))
        #expect(device.bondCount == 0 && channel.outputStream?.write([3, 2, 1], maxLength: 3) == 3)
        #expect(Self.read(3, from: try #require(channel.inputStream), world) == Data([3, 2, 1]))
        #expect(device.channels.map(\.received) == [Data([3, 2, 1])] && device.channels.map(\.isOpen) == [true])
        #expect(phone.errors.isEmpty)
    }

    @Test("requires encryption, and calls its closures")
    func closures() throws {
        let scripted = ScriptedPeripheral.Channel(
            psm: 0x81,
            security: .encrypted,
            onOpen: { $0.send(Data([1])) },
            onData: { data, channel in
                channel.send(Data(data.reversed()))
                if data.last == 0 { channel.close() }
            }
        )
        let (world, device, phone, channel) = try Self.open(scripted)
        #expect(device.bondCount == 1 && channel.outputStream?.write([3, 2, 0], maxLength: 3) == 3)
        #expect(Self.read(4, from: try #require(channel.inputStream), world) == Data([1, 0, 2, 3]))
        #expect(device.channels.map(\.isOpen) == [false] && phone.errors.isEmpty)
    }

    @Test("closes after pending data, and accepts nothing more")
    func end() throws {
        let octets = Self.octets(100_000)
        let scripted = ScriptedPeripheral.Channel(
            psm: 0x80,
            onOpen: { channel in
                channel.send(octets)
                channel.close()
                channel.send(Data([1]))
                channel.close()
            }
        )
        let (world, device, phone, channel) = try Self.open(scripted)
        #expect(device.channels.map(\.isOpen) == [false])
        #expect(Self.read(octets.count, from: try #require(channel.inputStream), world) == octets)
        #expect(phone.errors.isEmpty)
    }

    @Test("receives all octets in order, beyond the credits of its opening")
    func receiving() throws {
        var pieces = Data()
        let (world, device, phone, opened) = try Self.open(.init(psm: 0x80, onData: { data, _ in pieces += data }))
        let channel = try #require(device.channels.first)
        let output = try #require(opened.outputStream)
        let octets = Self.octets(300_000)
        var rest = octets
        for _ in 0..<4_000 where channel.received.count < octets.count {
            while !rest.isEmpty, output.hasSpaceAvailable {
                let piece = [UInt8](rest.prefix(4_096))
                let count = output.write(piece, maxLength: piece.count)
                guard count > 0 else { break }
                rest = Data(rest.dropFirst(count))
            }
            world.advance(by: .milliseconds(20))
        }
        #expect(channel.received == octets && pieces == octets && channel.isOpen && phone.errors.isEmpty)
    }

    @Test("closes with the device's power and controller", arguments: [true, false])
    func closed(isPower: Bool) throws {
        let (world, device, phone, _) = try Self.open(.init(psm: 0x80))
        if isPower { device.isPowered = false } else { device.resetController() }
        #expect(device.channels.map(\.isOpen) == [false] && device.player.channels.isEmpty)
        device.channels.first?.send(Data([1]))
        device.channels.first?.close()
        world.advance(by: .seconds(1))
        #expect(device.channels.first?.received == Data() && phone.errors.isEmpty)
    }

    @Test("ends the links of a slow device that is switched off, which is found again")
    func slowDevice() throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read, value: Data([1]))])
        script.latency = .milliseconds(40)
        let (world, device, phone) = try Explorer.meet(script)
        try world.run(until: phone.database.contains("FFF1 [1]"), within: .seconds(60))
        // No request is left whose time limit would end the link.
        world.advance(by: .seconds(20))
        #expect(phone.isConnected)
        device.isPowered = false
        try world.run(until: !phone.isConnected, within: .seconds(60))
        device.isPowered = true
        phone.central.connect(try #require(phone.peripheral))
        try world.run(until: phone.isConnected, within: .seconds(60))
    }
}
