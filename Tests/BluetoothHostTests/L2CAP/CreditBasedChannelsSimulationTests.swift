// A stream through both ends of a channel, and a peer that sends nearly valid frames and commands in any order.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channels: simulation")
struct CreditBasedChannelsSimulationTests {
    private static let sendLimit = 500
    private static let configuration = L2CAPChannelConfiguration(mtu: 100, mps: 40, window: 6, sendLimit: sendLimit)

    private static func octets(_ places: Range<Int>) -> ByteBuffer {
        ByteBuffer(bytes: places.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }

    @Test("carries a stream unchanged with any sizes, within the window", arguments: simulationSeeds(6))
    func stream(seed: UInt64) {
        var random = SeededChoices(seed: seed)
        let configuration = L2CAPChannelConfiguration(
            mtu: 23 + random.below(578),
            mps: 23 + random.below(278),
            window: 1 + random.below(40),
            sendLimit: random.pick([20, 300, 1_000, 5_000])
        )
        var sender = CreditBasedSender(to: CreditBasedParameters(configuration), limit: configuration.sendLimit)
        var receiver = CreditBasedReceiver(configuration)
        let total = 5_000
        var (written, received, unread, steps) = (0, 0, 0, 0)
        while received < total, steps < 50_000 {
            steps += 1
            switch random.below(4) {
            case 0:
                let end = min(written + random.below(900), total)
                written += sender.write(Self.octets(written..<end))
            case 1, 2:
                guard let frame = sender.nextFrame() else { continue }
                let second = sender.nextFrame()
                #expect(frame.readableBytes <= configuration.mps && second == nil)
                sender.frameSent()
                switch receiver.receive(frame) {
                case .sdu(let sdu):
                    #expect(sdu == Self.octets(received..<received + sdu.readableBytes))
                    received += sdu.readableBytes
                    unread += sdu.readableBytes
                case .incomplete: break
                case .violation(let violation): Issue.record("\(violation)")
                }
            default:
                let count = min(random.below(900), unread)
                unread -= count
                receiver.consume(count)
            }
            let isAllowed = receiver.takeGrant().map { sender.addCredits(Int($0)) } ?? true
            #expect(isAllowed && sender.credits == receiver.peerCredits)
            #expect(sender.queuedOctets <= configuration.sendLimit)
            #expect(unread <= configuration.window * configuration.mps + configuration.mtu)
        }
        #expect(received == total && sender.isDrained)
    }

    @Test("ends each channel once, and bounds its queues, whatever a peer sends", arguments: simulationSeeds(2))
    func hostilePeer(seed: UInt64) {
        var random = SeededChoices(seed: seed)
        var signalling = LESignalling(isCentral: seed % 2 == 0)
        signalling.channels.listeners[0x80] = .init(configuration: Self.configuration, security: .none)
        signalling.channels.listeners[0x81] = .init(configuration: Self.configuration, security: .encrypted)
        var now = NIODeadline.uptimeNanoseconds(0)
        var open: Set<L2CAPChannelID> = []
        var ended: Set<L2CAPChannelID> = []
        var unread: [L2CAPChannelID: Int] = [:]
        var nextID: UInt64 = 1
        var pendingFrames: [L2CAPChannelID] = []
        var opened = 0
        var remoteCIDs: [UInt16] = []
        var awaited: [UInt8] = []

        // An expectation costs more than everything else here, so only a failure is recorded.
        func demand(_ isTrue: Bool, line: Int = #line) {
            if !isTrue { Issue.record("line \(line)") }
        }
        for _ in 0..<4_000 {
            var actions: [LESignalling.Action] = []
            let order = open.sorted { $0.rawValue < $1.rawValue }
            switch random.below(12) {
            case 0:
                let id = L2CAPChannelID(rawValue: nextID)
                nextID += 1
                signalling.openChannel(id, to: 0x80, Self.configuration, now: now, into: &actions)
            case 1:
                if let id = order.randomElement(using: &random) {
                    let count = random.below(301)
                    let octets = ByteBuffer(repeating: 7, count: count)
                    let taken = signalling.update(id, now: now, into: &actions) { $0.write(octets, &$1) } ?? 0
                    demand(taken <= count)
                }
            case 2:
                if let id = order.randomElement(using: &random) {
                    let count = random.below(201)
                    unread[id] = max(0, (unread[id] ?? 0) - count)
                    signalling.update(id, now: now, into: &actions) { $0.consume(count, &$1) }
                }
            case 3:
                if random.once(in: 8), let id = order.randomElement(using: &random) {
                    let last = random.once(in: 2) ? [ByteBuffer(repeating: 8, count: 600)] : []
                    signalling.update(id, now: now, into: &actions) { $0.close(after: last, &$1) }
                }
            case 4:
                now = now + .milliseconds(Int64.random(in: 0...5_000, using: &random))
                signalling.advance(to: now, into: &actions)
            case 5:
                let sent = pendingFrames
                pendingFrames = []
                for id in sent { signalling.update(id, now: now, into: &actions) { $0.frameSent(&$1) } }
            case 6, 7, 8:
                signalling.receive(Self.command(remoteCIDs, awaited, &random), now: now, into: &actions)
            default:
                let cid = CID(rawValue: UInt16.random(in: 0x40...0x50, using: &random))
                signalling.receiveFrame(Self.frame(&random), on: cid, now: now, into: &actions)
            }

            while !actions.isEmpty {
                let batch = actions
                actions = []
                for action in batch {
                    switch action {
                    case .send(let pdu):
                        demand(pdu.readableBytes <= LESignalling.mtu)
                    case .updateConnection, .parameterRequestEnded, .channel(.writable):
                        break
                    case .channel(.requested(let cid, let spsm)):
                        demand(spsm == 0x80)
                        if random.once(in: 2) {
                            let id = L2CAPChannelID(rawValue: nextID)
                            signalling.update(cid, now: now, into: &actions) { $0.accept(as: id, &$1) }
                            nextID += 1
                        } else {
                            signalling.update(cid, now: now, into: &actions) {
                                $0.refuse(.insufficientAuthorization, &$1)
                            }
                        }
                    case .channel(.opened(let id, _, _, _)):
                        demand(!open.contains(id) && !ended.contains(id))
                        open.insert(id)
                        opened += 1
                    case .channel(.failed(let id, _)):
                        demand(!open.contains(id) && ended.insert(id).inserted)
                    case .channel(.received(let id, let octets)):
                        demand(open.contains(id))
                        unread[id, default: 0] += octets.readableBytes
                        demand(unread[id, default: 0] <= 6 * 40 + 100)
                    case .channel(.send(let frame, _, let id)):
                        demand(frame.readableBytes <= 65_533)
                        pendingFrames.append(id)
                    case .channel(.closed(let id, _)):
                        demand(open.remove(id) != nil && ended.insert(id).inserted)
                    }
                }
            }

            demand(signalling.channels.localCIDs.count <= CreditBasedChannels.maximumCount)
            remoteCIDs = []
            var sending: [UInt16] = []
            awaited = []
            for cid in signalling.channels.localCIDs {
                guard let channel = signalling.channels[cid] else { return demand(false) }
                demand(!channel.isClosed)
                if let remoteCID = channel.remoteCID { remoteCIDs.append(remoteCID.rawValue) }
                if let identifier = channel.awaitedIdentifier { awaited.append(identifier) }
                if let connection = channel.connection {
                    sending.append(connection.remoteCID.rawValue)
                    demand(0...0xFFFF ~= connection.sender.credits && 0...6 ~= connection.receiver.peerCredits)
                    demand(connection.sender.queuedOctets <= Self.sendLimit + 600)
                }
            }
            demand(Set(sending).count == sending.count)
        }
        #expect(opened > 0)

        var actions: [LESignalling.Action] = []
        signalling.close(into: &actions)
        for case .channel(.closed(let id, let reason)) in actions where reason == .linkEnded { open.remove(id) }
        #expect(open.isEmpty && signalling.channels.localCIDs.isEmpty && signalling.nextDeadline == nil)
    }

    /// A command about channels, most of it valid.
    private static func command(
        _ peers: [UInt16],
        _ awaited: [UInt8],
        _ random: inout SeededChoices
    ) -> ByteBuffer {
        func number(_ range: ClosedRange<UInt16>) -> UInt16 { .random(in: range, using: &random) }
        func ours() -> CID { CID(rawValue: number(0x3F...0x50)) }
        func theirs() -> CID {
            CID(rawValue: peers.isEmpty || random.once(in: 4) ? number(0x3F...0x80) : random.pick(peers))
        }
        func size() -> UInt16 { random.once(in: 2) ? number(23...80) : number(20...0xFFFF) }
        let parameters = CreditBasedParameters(mtu: size(), mps: size(), initialCredits: number(0...4))
        let command: LESignallingCommand =
            switch random.below(10) {
            case 0, 1:
                .leCreditBasedConnectionRequest(
                    .init(spsm: SPSM(rawValue: number(0x80...0x82)), source: theirs(), parameters: parameters)
                )
            case 2, 3:
                .leCreditBasedConnectionResponse(
                    .init(destination: theirs(), parameters: parameters, result: random.pick([.success, .noResources]))
                )
            case 4, 5, 6:
                .flowControlCredit(channel: theirs(), credits: random.once(in: 20) ? 0xFFFF : number(0...9))
            case 7: .disconnectionRequest(destination: ours(), source: theirs())
            case 8: .disconnectionResponse(destination: theirs(), source: ours())
            default: .commandReject(.notUnderstood)
            }
        var bytes = command.encoded(identifier: awaited.isEmpty ? UInt8(number(1...255)) : random.pick(awaited))
        if random.once(in: 10) { bytes.moveWriterIndex(to: bytes.readerIndex + random.below(bytes.readableBytes)) }
        return bytes
    }

    /// A frame that begins or continues an SDU, or neither.
    private static func frame(_ random: inout SeededChoices) -> ByteBuffer {
        if random.once(in: 30) { return ByteBuffer(bytes: random.octets(random.below(61))) }
        let length = random.below(39)
        var bytes = ByteBuffer(integer: UInt16(length), endianness: .little)
        bytes.writeRepeatingByte(9, count: length)
        return bytes
    }
}
