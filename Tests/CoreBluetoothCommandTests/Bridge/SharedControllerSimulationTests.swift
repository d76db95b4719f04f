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
        let controller = LeasedController(loop)
        var (losses, answered) = (0, 0)
        /// The number of resets that wait for their answers.
        func openResets() -> Int { controller.resetCount - answered }
        let shared = SharedController(controller) { _ in losses += 1 }
        var present: LeasingHost?
        var before: [LeasingHost] = []
        var (number, resets) = (UInt16(0), 0)
        /// The numbers of the commands that the present host has sent.
        var sent: [UInt16] = []
        func send(_ host: LeasingHost) {
            number += 1
            sent.append(number)
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
                present = LeasingHost(shared.lease())
                sent = []
            case 1, 2: if let present { send(present) }
            case 3: if choices.once(in: 4) { leave() }
            case 4, 5:
                guard openResets() > 0 else { break }
                answered += 1
                controller.answerReset()
            case 6:
                let counts = before.map(\.received.count)
                let own = present?.received.count ?? 0
                controller.deliver(CommandComplete.packet(LERand.self, .init(number: 7)))
                #expect(before.map(\.received.count) == counts, "a host that has left got an event")
                let isReady = present != nil && openResets() == 0
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
                #expect(controller.commands == (openResets() == 0 ? sent : []))
                if present.ends > 0 || sent.count > 60 { leave() }
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

extension LeasedController {
    fileprivate var resetCount: Int { sent.count { $0 == Reset().packet() } }

    /// The numbers of the commands that came behind the last Reset.
    fileprivate var commands: [UInt16] {
        sent.suffix(from: (sent.lastIndex(of: Reset().packet()) ?? -1) + 1).map(\.number)
    }
}

extension HCIPacket {
    /// The number that a command of this simulation carries.
    fileprivate var number: UInt16 {
        let octets = bytes.readableBytesView.suffix(2)
        return UInt16(octets[octets.startIndex]) | UInt16(octets[octets.startIndex + 1]) << 8
    }
}
