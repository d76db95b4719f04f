// When a capturing channel hands packets on, and when its recorder writes them: random steps of both sides, on record.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("Capturing channel")
struct CapturingChannelTests {
    /// A channel and a recorder that write down what is asked of them.
    private final class Ends: HCIChannel, PacketRecorder, HCIChannelReceiver {
        let eventLoop: any EventLoop
        weak var receiver: (any HCIChannelReceiver)?
        var steps: [String] = []

        init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

        func start(receiver: any HCIChannelReceiver) {
            self.steps.append("start")
            self.receiver = receiver
        }
        func send(_ packet: HCIPacket) { self.steps.append("sent \(packet.octets)") }
        func sendTogether(_ body: () -> Void) {
            self.steps.append("together")
            body()
            self.steps.append("end of together")
        }
        var leavesProcess: Bool { true }
        func close() { self.steps.append("close") }

        func record(_ packet: HCIPacket, _ direction: BTSnoop.Direction) {
            self.steps.append("recorded \(packet.octets) \(direction)")
        }
        func flush() { self.steps.append("flush") }

        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            self.steps.append("received \(packet.octets)")
            if packet.octets.last == 1 { channel.send(HCIPacket([0x01, 0xFF, 0xFC, 0x00])) }
        }
        func channelDidFinishBatch(_ channel: any HCIChannel) { self.steps.append("end of batch") }
        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
            self.steps.append("closed \(reason)")
        }
    }

    @Test("random steps of the host and of the controller")
    func walk() {
        var generator = SeededGenerator(seed: 9)
        for run in 0..<150 {
            let loop = EmbeddedEventLoop()
            let ends = Ends(loop)
            var channel: CapturingChannel? = CapturingChannel(ends, into: ends)
            #expect(channel?.leavesProcess == true)
            for step in 0..<14 {
                let choice = Int.random(in: 0...9, using: &generator)
                switch choice {
                case 0: channel?.start(receiver: ends)
                case 1, 2: channel?.send(HCIPacket([0x01, UInt8(step), 0x10, 0x00]))
                case 3, 4:
                    ends.receiver?.channel(ends, didReceive: HCIPacket([0x04, 0x10, 0x01, UInt8(step % 2)]))
                case 5: ends.receiver?.channelDidFinishBatch(ends)
                case 6: loop.run()
                case 7: channel?.sendTogether { channel?.send(HCIPacket([0x01, UInt8(step), 0x20, 0x00])) }
                case 8 where step > 9: channel?.close()
                case 9 where step > 9: ends.receiver?.channel(ends, didCloseBecause: "gone")
                default: break
                }
                RunRecord.note("\(run) \(step) \(choice): \(ends.steps)")
                ends.steps = []
            }
            loop.run()
            channel = nil
            #expect(ends.steps.last == "flush", "what was recorded is written at the end")
            RunRecord.note("\(run): \(ends.steps)")
        }
    }
}
