// Packets that no sane host sends: a controller answers or ignores them, and goes on.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@Suite("Fuzz")
struct FuzzTests {
    private func octets(_ range: ClosedRange<Int>, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<Int.random(in: range, using: &generator)).map { _ in
            // Small numbers hit more cases than large ones.
            Bool.random(using: &generator)
                ? .random(in: 0...4, using: &generator) : .random(in: 0...255, using: &generator)
        }
    }

    @Test("random octets", arguments: [AirSettings.instant, AirSettings(hasAirTime: true, loss: 0.1)])
    func random(settings: AirSettings) throws {
        var generator = SeededGenerator(seed: 11)
        let testbed = AirTestbed(settings)
        let host = testbed.host()
        let link = try TestLink(testbed)
        for _ in 0..<20_000 {
            host.send(HCIPacket(h4: ByteBuffer(bytes: self.octets(0...40, &generator))))
            if UInt8.random(in: 0...20, using: &generator) == 0 { testbed.pass(.milliseconds(1)) }
        }
        // A chance reset or mask has no part in this: the links of others go on.
        link.central.sendData([1], on: link.centralHandle)
        testbed.pass(.seconds(1))
        #expect(link.peripheral.data.map(\.octets) == [[1]])
        host.ok(Reset())
    }

    @Test("known commands with random parameters, on a controller with links", arguments: [UInt64(1), 2, 3, 4])
    func commands(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let testbed = AirTestbed(seed % 2 == 0 ? .instant : AirSettings(hasAirTime: true, loss: 0.05), seed: seed)
        let hosts = (0..<4).map { _ in testbed.host() }
        let entries = HCICommandTable.entries
        for host in hosts { host.advertise() }
        var handles: [ConnectionHandle] = []
        for step in 0..<8_000 {
            let host = hosts[Int.random(in: 0..<hosts.count, using: &generator)]
            let known = handles.randomElement(using: &generator)?.rawValue ?? 0x40
            var bytes = ByteBuffer()
            if Int.random(in: 0..<6, using: &generator) == 0 {
                bytes.writeInteger(UInt8(0x02))
                bytes.writeLittleEndian(known | .random(in: 0...2, using: &generator) << 12)
                let data = self.octets(0...260, &generator)
                bytes.writeLittleEndian(UInt16(data.count))
                bytes.writeBytes(data)
            } else {
                let entry = entries[Int.random(in: 0..<entries.count, using: &generator)]
                // Resets would end all that is interesting.
                guard entry.command.opcode != Reset.opcode || step % 50 == 0 else { continue }
                bytes.writeInteger(UInt8(0x01))
                bytes.writeLittleEndian(entry.command.opcode.rawValue)
                var parameters = self.octets(0...60, &generator)
                // Often the handle of a link stands in front.
                if Bool.random(using: &generator), parameters.count >= 2 {
                    parameters[0] = UInt8(truncatingIfNeeded: known)
                    parameters[1] = UInt8(known >> 8)
                }
                bytes.writeInteger(UInt8(parameters.count))
                bytes.writeBytes(parameters)
            }
            host.send(HCIPacket(h4: bytes))
            if step % 10 == 0 { testbed.pass(.milliseconds(20)) }
            if step % 100 == 0 {
                // Links come again and again.
                let central = hosts[step / 100 % 4]
                let peripheral = hosts[(step / 100 + 1) % 4]
                for host in [central, peripheral] {
                    host.controller.send(Reset().packet())
                    host.controller.send(SetEventMask(mask: EventMask(rawValue: .max)).packet())
                    host.controller.send(LESetEventMask(mask: TestHost.usualEvents).packet())
                }
                let interval = AdvertisingInterval(rawValue: 0x20)
                peripheral.send(LESetAdvertisingParameters(minimumInterval: interval, maximumInterval: interval))
                peripheral.send(LESetAdvertisingEnable(isEnabled: true))
                central.send(TestHost.createConnection(to: peripheral.controller.address))
                testbed.pass(.milliseconds(100))
                for host in hosts {
                    handles += host.takeAll(LEConnectionComplete.self).filter { $0.status == .success }.map(\.handle)
                    host.events = []
                }
                handles = handles.suffix(6)
            }
        }
        #expect(!handles.isEmpty)
        // What was sent last has its effect before the testbeds are checked.
        testbed.loop.run()
        for host in hosts {
            host.events = []
            host.controller.distance = .metres(1)
            host.setUp(leEvents: TestHost.usualEvents)
        }
        testbed.pass(.seconds(40))
        for host in hosts {
            #expect(host.controller.linkCount == 0)
            host.events = []
        }
        _ = try TestLink(testbed, central: hosts[0], peripheral: hosts[1])
    }
}
