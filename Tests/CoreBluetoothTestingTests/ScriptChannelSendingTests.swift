// What a scripted device sends on an L2CAP channel beyond what its host takes at once: the rest leaves as the central
// takes more, in order and once, while the channel stays open.

import CoreBluetooth
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Sending on a scripted channel")
struct ScriptChannelSendingTests {
    private static func octets(_ count: Int, _ seed: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ seed) })
    }

    /// Reads until so many octets have come, and then whatever comes within two seconds.
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

    @Test("What does not fit in at once follows as the central takes it, in order, behind it what is sent then")
    func rest() throws {
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read)])
        script.channels = [.init(psm: 0x80)]
        let (world, device, phone) = try Explorer.meet(script, seed: 51) { _ in }
        phone.peripheral?.openL2CAPChannel(0x80)
        try world.run(until: phone.channels.count == 1 && device.channels.count == 1)
        let channel = try #require(device.channels.first)
        let input = try #require(phone.channels.first?.inputStream)
        input.open()
        let (first, second, third) = (Self.octets(200_000, 1), Self.octets(100_000, 2), Self.octets(3, 3))
        channel.send(first)
        channel.send(second)
        channel.send(Data())
        let received = Self.read(300_000, from: input, world)
        #expect(received.count == 300_000 && received == first + second)
        #expect(channel.isOpen && phone.errors.isEmpty)
        // Nothing waits any more.
        channel.send(third)
        #expect(Self.read(3, from: input, world) == third)
        #expect(channel.isOpen && channel.received.isEmpty)
    }
}
