// A peer that sends anything: frames and commands that are nearly right, in any order, on a link with several channels.
// Nothing traps, every channel ends at most once, and what waits for the peer has a limit.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channels and chance")
struct CreditBasedChannelsRandomTests {
    private static let sendLimit = 500
    private static let configuration = L2CAPChannelConfiguration(mtu: 100, mps: 40, window: 6, sendLimit: sendLimit)

    @Test("Any frames: no trap, no channel too many, no queue without end", arguments: 0..<8 as Range<UInt64>)
    func hostilePeer(seed: UInt64) {
        var random = SeededGenerator(seed: 0xC0C0 + seed)
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

        // An expectation costs more than all else here, so that only what fails becomes one.
        func demand(_ isTrue: Bool, line: Int = #line) {
            if !isTrue { Issue.record("line \(line)") }
        }
        for _ in 0..<8_000 {
            var actions: [LESignalling.Action] = []
            let order = open.sorted { $0.rawValue < $1.rawValue }
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                let id = L2CAPChannelID(rawValue: nextID)
                nextID += 1
                signalling.openChannel(id, to: 0x80, Self.configuration, now: now, into: &actions)
            case 1:
                if let id = order.randomElement(using: &random) {
                    let count = Int.random(in: 0...300, using: &random)
                    let octets = ByteBuffer(repeating: 7, count: count)
                    let taken = signalling.update(id, now: now, into: &actions) { $0.write(octets, &$1) } ?? 0
                    demand(taken <= count)
                }
            case 2:
                if let id = order.randomElement(using: &random) {
                    let count = Int.random(in: 0...200, using: &random)
                    unread[id] = max(0, (unread[id] ?? 0) - count)
                    signalling.update(id, now: now, into: &actions) { $0.consume(count, &$1) }
                }
            case 3:
                if Int.random(in: 0..<8, using: &random) == 0, let id = order.randomElement(using: &random) {
                    let last = Bool.random(using: &random) ? [ByteBuffer(repeating: 8, count: 600)] : []
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
                    RunRecord.note("\(action)")
                    switch action {
                    case .send(let pdu):
                        demand(pdu.readableBytes <= LESignalling.mtu)
                    case .updateConnection, .parameterRequestEnded, .channel(.writable):
                        break
                    case .channel(.requested(let cid, let spsm)):
                        demand(spsm == 0x80)
                        if Bool.random(using: &random) {
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
            RunRecord.note("\(remoteCIDs) \(awaited) \(String(describing: signalling.nextDeadline))")
        }
        #expect(opened > 20)

        var actions: [LESignalling.Action] = []
        signalling.close(into: &actions)
        RunRecord.note("\(actions)")
        #expect(signalling.channels.localCIDs.isEmpty && signalling.nextDeadline == nil)
    }

    /// A command about channels, most of it as it should be.
    private static func command(
        _ peers: [UInt16],
        _ awaited: [UInt8],
        _ random: inout SeededGenerator
    ) -> ByteBuffer {
        func ours(_ random: inout SeededGenerator) -> CID {
            CID(rawValue: UInt16.random(in: 0x3F...0x50, using: &random))
        }
        func theirs(_ random: inout SeededGenerator) -> CID {
            if let peer = peers.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 {
                return CID(rawValue: peer)
            }
            return CID(rawValue: UInt16.random(in: 0x3F...0x80, using: &random))
        }
        func size(_ random: inout SeededGenerator) -> UInt16 {
            Bool.random(using: &random)
                ? UInt16.random(in: 23...80, using: &random) : .random(in: 20...0xFFFF, using: &random)
        }
        func parameters(_ random: inout SeededGenerator) -> CreditBasedParameters {
            CreditBasedParameters(
                mtu: size(&random),
                mps: size(&random),
                initialCredits: UInt16.random(in: 0...4, using: &random)
            )
        }
        let chance = UInt8.random(in: 1...255, using: &random)
        let identifier = awaited.randomElement(using: &random) ?? chance
        let command: LESignallingCommand =
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                .leCreditBasedConnectionRequest(
                    LECreditBasedConnectionRequest(
                        spsm: SPSM(rawValue: .random(in: 0x80...0x82, using: &random)),
                        source: theirs(&random),
                        parameters: parameters(&random)
                    )
                )
            case 2, 3:
                .leCreditBasedConnectionResponse(
                    LECreditBasedConnectionResponse(
                        destination: theirs(&random),
                        parameters: parameters(&random),
                        result: L2CAPConnectionResult(rawValue: Bool.random(using: &random) ? 0 : 4)
                    )
                )
            case 4, 5, 6:
                .flowControlCredit(
                    channel: theirs(&random),
                    credits: Int.random(in: 0..<20, using: &random) == 0 ? 0xFFFF : .random(in: 0...9, using: &random)
                )
            case 7:
                .disconnectionRequest(destination: ours(&random), source: theirs(&random))
            case 8:
                .disconnectionResponse(destination: theirs(&random), source: ours(&random))
            default:
                .commandReject(.notUnderstood)
            }
        var bytes = command.encoded(identifier: identifier)
        if Int.random(in: 0..<10, using: &random) == 0 {
            bytes =
                bytes.getSlice(
                    at: bytes.readerIndex,
                    length: Int.random(in: 0...bytes.readableBytes, using: &random)
                ) ?? ByteBuffer()
        }
        return bytes
    }

    /// A frame that begins an SDU, goes on with one, or neither.
    private static func frame(_ random: inout SeededGenerator) -> ByteBuffer {
        var bytes = ByteBuffer()
        if Int.random(in: 0..<30, using: &random) == 0 {
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                bytes.writeInteger(UInt8.random(in: 0...255, using: &random))
            }
            return bytes
        }
        let length = Int.random(in: 0...38, using: &random)
        bytes.writeInteger(UInt16(length), endianness: .little)
        bytes.writeRepeatingByte(9, count: length)
        return bytes
    }
}
