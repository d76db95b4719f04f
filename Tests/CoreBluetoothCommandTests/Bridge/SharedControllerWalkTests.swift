// A controller that hosts share, through random hosts and packets, on record: who gets what, and what the controller is
// sent.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import CoreBluetoothCommand

@Suite("A walk through the hosts of a shared controller")
struct SharedControllerWalkTests {
    private final class Controller: HCIChannel {
        let eventLoop: any EventLoop
        weak var receiver: (any HCIChannelReceiver)?
        init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }
        func start(receiver: any HCIChannelReceiver) { self.receiver = receiver }
        func send(_ packet: HCIPacket) { RunRecord.note("sent \(packet.bytes.hex)") }
        func sendTogether(_ body: () -> Void) {
            RunRecord.note("together")
            body()
        }
        func close() { RunRecord.note("closed") }
    }

    private final class Host: HCIChannelReceiver {
        let lease: any HCIChannel
        private let number: Int
        init(_ lease: any HCIChannel, _ number: Int) {
            (self.lease, self.number) = (lease, number)
            lease.start(receiver: self)
        }
        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
            RunRecord.note("\(number) got \(packet.bytes.hex)")
        }
        func channelDidFinishBatch(_ channel: any HCIChannel) { RunRecord.note("\(number) got a batch") }
        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
            RunRecord.note("\(number) is closed: \(reason)")
        }
    }

    @Test(
        "Hosts come, send and go in any order; the controller answers, is silent, or goes",
        arguments: 1...40 as ClosedRange<UInt64>
    )
    func walk(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let loop = EmbeddedEventLoop()
        let controller = Controller(loop)
        var losses = 0
        let shared = SharedController(controller) { reason in
            losses += 1
            RunRecord.note("lost: \(reason)")
        }
        var hosts: [Host] = []
        let answer = CommandComplete.packet(Reset.self, .init())
        let event = CommandComplete.packet(LERand.self, .init(number: 7))
        for step in 0..<120 {
            RunRecord.note("step \(step)")
            let host = hosts.randomElement(using: &generator)
            switch Int.random(in: 0..<40, using: &generator) {
            case 0..<5: hosts.append(Host(shared.lease(), hosts.count))
            case 5..<12: host?.lease.send(LERand().packet())
            case 12: for _ in 0..<[63, 64, 65][step % 3] { host?.lease.send(LERand().packet()) }
            case 13..<18: host?.lease.close()
            case 18..<28: controller.receiver?.channel(controller, didReceive: answer)
            case 28..<33: controller.receiver?.channel(controller, didReceive: event)
            case 33..<36: controller.receiver?.channelDidFinishBatch(controller)
            case 36: host?.lease.sendTogether { host?.lease.send(LERand().packet()) }
            case 37 where step > 100: controller.receiver?.channel(controller, didCloseBecause: "unplugged")
            case 38:
                controller.receiver?.channel(controller, didReceive: HCIPacket(h4: ByteBuffer(bytes: [0x04, 0x0E])))
            default: loop.run()
            }
        }
        loop.run()
        RunRecord.note("\(losses)")
        withExtendedLifetime(shared) {}
    }
}
