import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothTransport

@Suite("Capturing channel")
struct CapturingChannelSimulationTests {
    /// A channel and a recorder that log their calls.
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

    @Test("flushes at the end of a turn, at the end of a batch with its answers, and when it closes")
    func flushes() {
        let loop = EmbeddedEventLoop()
        let ends = Ends(loop)
        let channel = CapturingChannel(ends, into: ends)
        channel.start(receiver: ends)
        func steps(_ action: () -> Void) -> [String] {
            ends.steps = []
            action()
            return ends.steps
        }
        let command: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
        for _ in 0..<2 {
            #expect(
                steps { channel.send(HCIPacket(command)) } == ["recorded \(command) toController", "sent \(command)"]
            )
            #expect(steps { loop.run() } == ["flush"])
        }
        let event: [UInt8] = [0x04, 0x10, 0x01, 0x01]
        let batch = steps {
            ends.receiver?.channel(ends, didReceive: HCIPacket(event))
            ends.receiver?.channelDidFinishBatch(ends)
        }
        #expect(batch.prefix(2) == ["recorded \(event) toHost", "received \(event)"])
        #expect(batch.contains("recorded [1, 255, 252, 0] toController"))
        #expect(Set(batch.suffix(2)) == ["flush", "end of batch"] && batch.count { $0 == "flush" } == 1)
        let closing = steps { ends.receiver?.channel(ends, didCloseBecause: "gone") }
        #expect(closing.contains("closed gone") && closing.contains("flush"))
        channel.send(HCIPacket(command))
        #expect(Set(steps { channel.close() }) == ["flush", "close"])
    }

    @Test("records and passes on each packet once, and flushes at the end", arguments: simulationSeeds(50))
    func steps(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let loop = EmbeddedEventLoop()
        let ends = Ends(loop)
        var channel: CapturingChannel? = CapturingChannel(ends, into: ends)
        #expect(channel?.leavesProcess == true)
        channel?.start(receiver: ends)
        for step in 0..<14 {
            let octets: [UInt8] = [0x01, UInt8(step), 0x10, 0x00]
            switch choices.below(6) {
            case 0...1: channel?.send(HCIPacket(octets))
            case 2: ends.receiver?.channel(ends, didReceive: HCIPacket([0x04, 0x10, 0x01, UInt8(step % 2)]))
            case 3: ends.receiver?.channelDidFinishBatch(ends)
            case 4: loop.run()
            default: channel?.sendTogether { channel?.send(HCIPacket(octets)) }
            }
        }
        loop.run()
        channel = nil
        #expect(ends.steps.last == "flush")
        func all(_ prefix: String) -> [String] {
            ends.steps.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        }
        let recorded = all("recorded ")
        #expect(recorded.filter { $0.hasSuffix("toController") } == all("sent ").map { "\($0) toController" })
        #expect(recorded.filter { $0.hasSuffix("toHost") } == all("received ").map { "\($0) toHost" })
    }
}
