// The channel between the host and the controller of a world's device.

import BluetoothHCI
import CoreBluetooth
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("WatchedChannel")
struct WatchedChannelTests {
    /// Records the packets of a channel.
    private final class Notes: HCIChannelReceiver {
        private(set) var packets: [[UInt8]] = []
        private(set) var ends: [String] = []
        private(set) var batchCount = 0

        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            self.packets.append(Array(packet.bytes.readableBytesView))
        }

        func channelDidFinishBatch(_ channel: any HCIChannel) { self.batchCount += 1 }

        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) { self.ends.append(reason) }
    }

    /// An ACL data packet with one L2CAP frame, or with the rest of one.
    private static func data(boundary: UInt8 = 0b10, channel: UInt8 = 0x04, _ payload: [UInt8]) -> [UInt8] {
        let frame = [UInt8(payload.count), 0x00, channel, 0x00] + payload
        return [0x02, 0x40, boundary << 4, UInt8(frame.count), 0x00] + frame
    }

    private static let event: [UInt8] = [0x04, 0xFF, 0x01, 0x00]

    /// A device of a world, and a channel of it that notes what arrives.
    private struct Setup {
        let world = World(seed: 1)
        let phone: Device
        let channel: WatchedChannel
        let notes = Notes()

        init(isUnresponsive: Bool = false) {
            self.phone = self.world.addDevice("phone")
            self.channel = self.phone.makeChannel()
            self.channel.start(receiver: self.notes)
            self.phone.isUnresponsive = isUnresponsive
        }

        func receive(_ octets: [UInt8]) {
            self.channel.channel(self.channel, didReceive: HCIPacket(h4: ByteBuffer(bytes: octets)))
        }
    }

    @Test("Vol 3, Part F, 3.4.8: keeps ATT requests and commands, and nothing else, from an unresponsive host")
    func requests() {
        let rows: [(packet: [UInt8], isRequest: Bool)] = [
            // Exchange MTU, Read, Write, Prepare Write, Execute Write, Read Multiple Variable.
            (Self.data([0x02, 0x17, 0x00]), true), (Self.data([0x0A, 0x03, 0x00]), true),
            (Self.data([0x12, 0x03, 0x00, 0x01]), true), (Self.data([0x16, 0x03, 0x00, 0x00, 0x00]), true),
            (Self.data([0x18, 0x01]), true), (Self.data([0x20, 0x03, 0x00, 0x05, 0x00]), true),
            // The commands Write and Signed Write.
            (Self.data([0x52, 0x03, 0x00, 0x01]), true), (Self.data([0xD2, 0x03, 0x00, 0x01]), true),
            // Error, Read and Write Response, Notification, Indication, Confirmation, Multiple Notifications.
            (Self.data([0x01, 0x0A, 0x03, 0x00, 0x0A]), false), (Self.data([0x0B, 0x01]), false),
            (Self.data([0x13]), false), (Self.data([0x1B, 0x03, 0x00, 0x01]), false),
            (Self.data([0x1D, 0x03, 0x00, 0x01]), false), (Self.data([0x1E]), false),
            (Self.data([0x23, 0x03, 0x00, 0x01, 0x00, 0x07]), false),
            // The first fragment of a frame, not flushable, and a continuing one.
            (Self.data(boundary: 0b00, [0x0A, 0x03, 0x00]), true),
            (Self.data(boundary: 0b01, [0x0A, 0x03, 0x00]), false),
            // LE signalling, the Security Manager, a channel with credits.
            (Self.data(channel: 0x05, [0x0A, 0x03, 0x00]), false),
            (Self.data(channel: 0x06, [0x0A, 0x03, 0x00]), false),
            (Self.data(channel: 0x40, [0x0A, 0x03, 0x00]), false),
            // A frame of nothing, the beginning of a header, an event.
            (Self.data([]), false), ([0x02, 0x40, 0x20, 0x03, 0x00, 0x03, 0x00, 0x04], false), (Self.event, false),
        ]
        for (number, row) in rows.enumerated() {
            for isUnresponsive in [true, false] {
                let setup = Setup(isUnresponsive: isUnresponsive)
                setup.receive(row.packet)
                #expect(setup.notes.packets == (isUnresponsive && row.isRequest ? [] : [row.packet]), "\(number)")
                #expect(setup.world.trace.includingHCI.of("phone").count { $0.direction == .received } == 1)
            }
        }
    }

    @Test("passes the end of a batch and of the channel to an unresponsive host")
    func ends() {
        let setup = Setup(isUnresponsive: true)
        setup.channel.channelDidFinishBatch(setup.channel)
        setup.channel.channel(setup.channel, didCloseBecause: "it is broken")
        #expect(setup.notes.batchCount == 1 && setup.notes.ends == ["it is broken"])
    }

    @Test("reports the failure of a controller once, and nothing after it")
    func failed() {
        let setup = Setup()
        setup.phone.resetController()
        setup.phone.resetController()
        setup.receive(Self.event)
        setup.channel.channelDidFinishBatch(setup.channel)
        setup.world.advance(by: .seconds(1))
        #expect(setup.notes.ends == ["the controller of phone failed"])
        #expect(setup.notes.packets.isEmpty && setup.notes.batchCount == 0)
        let lines = setup.world.trace.of("phone", .world).map(\.text)
        #expect(lines == ["its controller fails", "its controller fails"])
    }

    @Test("delivers nothing after the host closed the channel")
    func closed() {
        let setup = Setup()
        setup.channel.close()
        setup.receive(Self.event)
        setup.channel.channel(setup.channel, didCloseBecause: "of the test")
        setup.channel.channelDidFinishBatch(setup.channel)
        setup.world.advance(by: .seconds(1))
        #expect(setup.notes.ends.isEmpty && setup.notes.packets.isEmpty && setup.notes.batchCount == 0)
    }
}
