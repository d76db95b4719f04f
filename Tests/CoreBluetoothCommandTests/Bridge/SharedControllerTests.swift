import BluetoothHCI
import NIOCore
import NIOEmbedded
import Testing

@testable import CoreBluetoothCommand

/// A controller that keeps what it is sent.
final class LeasedController: HCIChannel {
    let eventLoop: any EventLoop
    var sent: [HCIPacket] = []
    /// The numbers of packets that had been sent when all left together.
    var departures: [Int] = []
    weak var receiver: (any HCIChannelReceiver)?

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }
    func start(receiver: any HCIChannelReceiver) { self.receiver = receiver }
    func send(_ packet: HCIPacket) { sent.append(packet) }
    func sendTogether(_ body: () -> Void) {
        body()
        departures.append(sent.count)
    }
    func close() {}
    func deliver(_ packet: HCIPacket) { receiver?.channel(self, didReceive: packet) }
    func answerReset() { deliver(CommandComplete.packet(Reset.self, .init())) }
}

/// A host that keeps what it gets.
final class LeasingHost: HCIChannelReceiver {
    let lease: any HCIChannel
    var received: [HCIPacket] = []
    var batches = 0
    var reason: String?
    private(set) var ends = 0

    init(_ lease: any HCIChannel) {
        self.lease = lease
        lease.start(receiver: self)
    }
    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) { received.append(packet) }
    func channelDidFinishBatch(_ channel: any HCIChannel) { batches += 1 }
    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.reason = reason
        ends += 1
    }
}

@Suite("A controller that hosts share")
struct SharedControllerTests {
    private let loop = EmbeddedEventLoop()

    private let reset = Reset().packet()

    private let event = CommandComplete.packet(LERand.self, .init(number: 1))

    @Test("sends nothing to a controller that is gone")
    func gone() {
        let controller = LeasedController(loop)
        var reasons: [String] = []
        let shared = SharedController(controller) { reasons.append($0) }
        let host = LeasingHost(shared.lease())
        controller.answerReset()
        controller.receiver?.channel(controller, didCloseBecause: "unplugged")
        host.lease.send(LERand().packet())
        controller.deliver(event)
        host.lease.close()
        loop.run()
        #expect(controller.sent == [reset] && reasons == ["unplugged"])
        #expect(host.received.isEmpty && host.reason == nil, "it has left by itself")
    }

    @Test("sends the packets of one turn together")
    func together() {
        let controller = LeasedController(loop)
        let shared = SharedController(controller) { Issue.record("lost: \($0)") }
        let host = LeasingHost(shared.lease())
        controller.answerReset()
        host.lease.sendTogether { for _ in 0..<2 { host.lease.send(LERand().packet()) } }
        #expect(controller.departures == [3])
    }

    @Test("reports the end of a batch to the present host alone")
    func batches() {
        let controller = LeasedController(loop)
        let shared = SharedController(controller) { Issue.record("lost: \($0)") }
        let host = LeasingHost(shared.lease())
        controller.answerReset()
        #expect(host.batches == 0)
        controller.deliver(event)
        controller.receiver?.channelDidFinishBatch(controller)
        #expect(host.batches == 1)
        host.lease.close()
        controller.receiver?.channelDidFinishBatch(controller)
        #expect(host.batches == 1, "it has left")
    }

    @Test("drops a host that sends 65 packets before the reset, and ends the host of a controller that goes")
    func limits() {
        let controller = LeasedController(loop)
        var reason: String?
        let shared = SharedController(controller) { reason = $0 }
        let early = LeasingHost(shared.lease())
        for _ in 0...64 { early.lease.send(LERand().packet()) }
        #expect(early.reason == nil, "not from inside a call of its own")
        loop.run()
        #expect(early.reason?.contains("before the controller is reset") == true)
        #expect(controller.sent == [reset])
        let host = LeasingHost(shared.lease())
        controller.receiver?.channel(controller, didCloseBecause: "unplugged")
        loop.run()
        #expect(reason == "unplugged")
        #expect(host.reason == "the controller is gone: unplugged")
    }
}
