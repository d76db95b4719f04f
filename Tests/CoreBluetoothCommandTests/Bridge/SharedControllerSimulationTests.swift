// Hosts that come, send and leave in any order, while the controller answers, is silent or goes.

import BluetoothHCI
import BluetoothTransport
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import CoreBluetoothCommand

@Suite("Random hosts of a shared controller")
struct SharedControllerSimulationTests {
    private final class Controller: HCIChannel {
        let eventLoop: any EventLoop
        weak var receiver: (any HCIChannelReceiver)?
        private(set) var resetCount = 0
        /// Resets that wait for their answers.
        var openResets = 0
        /// The numbers of the commands that came behind the last Reset.
        private(set) var commands: [UInt16] = []

        init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }
        func start(receiver: any HCIChannelReceiver) { self.receiver = receiver }
        func send(_ packet: HCIPacket) {
            guard packet == Reset().packet() else { return commands.append(packet.number) }
            resetCount += 1
            openResets += 1
            commands = []
        }
        func sendTogether(_ body: () -> Void) { body() }
        func close() {}
        func deliver(_ packet: HCIPacket) { receiver?.channel(self, didReceive: packet) }
    }

    private final class Host: HCIChannelReceiver {
        let lease: any HCIChannel
        private(set) var received: [HCIPacket] = []
        private(set) var ends = 0
        /// The numbers of the commands that were sent.
        var sent: [UInt16] = []

        init(_ lease: any HCIChannel) {
            self.lease = lease
            lease.start(receiver: self)
        }
        func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) { received.append(packet) }
        func channelDidFinishBatch(_ channel: any HCIChannel) {}
        func channel(_ channel: any HCIChannel, didCloseBecause reason: String) { ends += 1 }
    }

    /// A command that carries a number.
    private static func command(_ number: UInt16) -> HCIPacket {
        HCIPacket(h4: ByteBuffer(bytes: [0x01, 0x01, 0xFC, 2, UInt8(number & 0xFF), UInt8(number >> 8)]))
    }

    @Test(
        "each get their own events after all resets are answered, send in order without loss, and end at most once",
        arguments: simulationSeeds(12)
    )
    func hosts(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let loop = EmbeddedEventLoop()
        let controller = Controller(loop)
        var losses = 0
        let shared = SharedController(controller) { _ in losses += 1 }
        var present: Host?
        var before: [Host] = []
        var (number, resets) = (UInt16(0), 0)
        func send(_ host: Host) {
            number += 1
            host.sent.append(number)
            host.lease.send(Self.command(number))
        }
        func leave() {
            guard let host = present else { return }
            host.lease.close()
            before.append(host)
            present = nil
        }
        for _ in 0..<200 {
            switch choices.below(8) {
            case 0:
                guard present == nil else { break }
                present = Host(shared.lease())
            case 1, 2: if let present { send(present) }
            case 3: if choices.once(in: 4) { leave() }
            case 4, 5:
                guard controller.openResets > 0 else { break }
                controller.openResets -= 1
                controller.deliver(CommandComplete.packet(Reset.self, .init()))
            case 6:
                let counts = before.map(\.received.count)
                let own = present?.received.count ?? 0
                controller.deliver(CommandComplete.packet(LERand.self, .init(number: 7)))
                #expect(before.map(\.received.count) == counts, "a host that has left got an event")
                let isReady = present != nil && controller.openResets == 0
                #expect((present?.received.count ?? 0) == own + (isReady ? 1 : 0))
            default:
                // A host that has left has nothing to say.
                if let old = before.last, choices.once(in: 2) {
                    let commands = controller.commands
                    old.lease.send(Self.command(0))
                    old.lease.close()
                    #expect(controller.commands == commands)
                }
                loop.run()
            }
            // Nobody's commands wait behind a reset that was answered, and none come before.
            if let present {
                #expect(controller.commands == (controller.openResets == 0 ? present.sent : []))
                if present.ends > 0 || present.sent.count > 60 { leave() }
            }
            resets = controller.resetCount
        }
        let last = present
        controller.receiver?.channel(controller, didCloseBecause: "unplugged")
        loop.run()
        #expect(losses == 1 && controller.resetCount == resets)
        #expect(before.allSatisfy { $0.ends == 0 } && (last?.ends ?? 1) == 1)
        withExtendedLifetime(shared) {}
    }
}

extension HCIPacket {
    /// The number that a command of this simulation carries.
    fileprivate var number: UInt16 {
        let octets = bytes.readableBytesView.suffix(2)
        return UInt16(octets[octets.startIndex]) | UInt16(octets[octets.startIndex + 1]) << 8
    }
}
