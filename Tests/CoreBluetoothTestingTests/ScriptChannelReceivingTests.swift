// What a central sends on an L2CAP channel of a scripted device beyond the credits of its opening (Vol 3, Part A,
// 10.1): the device takes all of it, and gives new ones.

import CoreBluetooth
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Receiving on a scripted channel")
struct ScriptChannelReceivingTests {
    @Test("All that a central sends is received, in order, and each piece is given to the script once")
    func all() throws {
        var pieces = Data()
        var script = ScriptedPeripheral.thing([.init("FFF1", properties: .read)])
        script.channels = [.init(psm: 0x80, onData: { data, _ in pieces += data })]
        let (world, device, phone) = try Explorer.meet(script, seed: 64, setUp: { _ in })
        phone.peripheral?.openL2CAPChannel(0x80)
        try world.run(until: phone.channels.count == 1 && device.channels.count == 1)
        let channel = try #require(device.channels.first)
        let output = try #require(phone.channels.first?.outputStream)
        output.open()
        let octets = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
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
        #expect(channel.received.count == 300_000 && channel.received == octets && pieces == octets)
        #expect(channel.isOpen && phone.errors.isEmpty)
    }
}
