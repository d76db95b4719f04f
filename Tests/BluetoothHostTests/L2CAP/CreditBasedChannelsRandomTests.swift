// A peer that sends anything: frames and commands that are nearly right, in any order, on a link with several channels.
// Nothing traps, every channel ends at most once, and what is kept for the peer has a limit.

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE credit-based channels and chance")
struct CreditBasedChannelsRandomTests {
    private static let sendLimit = 500
    private static let configuration = ChannelConfiguration(mtu: 100, mps: 40, window: 6, sendLimit: sendLimit)

    @Test("Any frames: no trap, no channel too many, no queue without end", arguments: 0..<8 as Range<UInt64>)
    func hostilePeer(seed: UInt64) {
        var random = SeededGenerator(seed: 0xC0C0 + seed)
        var signalling = LESignalling(isCentral: seed % 2 == 0)
        signalling.channels.listeners[0x80] = .init(configuration: Self.configuration, security: .none)
        signalling.channels.listeners[0x81] = .init(configuration: Self.configuration, security: .encrypted)
        var now = NIODeadline.uptimeNanoseconds(0)
        var open: [ChannelID: LESignalling.ChannelTag] = [:]
        var ended: Set<ChannelID> = []
        var unread: [ChannelID: Int] = [:]
        var nextID: UInt64 = 1
        var pendingFrames: [LESignalling.ChannelTag] = []
        var opened = 0
        var peerNames: [UInt16] = []
        var awaited: [UInt8] = []

        // An expectation costs more than all else here, so that only what fails becomes one.
        func demand(_ isTrue: Bool, line: Int = #line) {
            if !isTrue { Issue.record("line \(line)") }
        }
        for _ in 0..<8_000 {
            var actions: [LESignalling.Action] = []
            let order = open.values.sorted { $0.id.rawValue < $1.id.rawValue }
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                let id = ChannelID(rawValue: nextID)
                nextID += 1
                signalling.openChannel(id, spsm: 0x80, configuration: Self.configuration, now: now, into: &actions)
            case 1:
                if let tag = order.randomElement(using: &random) {
                    let count = Int.random(in: 0...300, using: &random)
                    let octets = ByteBuffer(repeating: 7, count: count)
                    let taken = signalling.write(octets, on: tag, now: now, into: &actions)
                    demand(taken <= count)
                }
            case 2:
                if let tag = order.randomElement(using: &random) {
                    let count = Int.random(in: 0...200, using: &random)
                    unread[tag.id] = max(0, (unread[tag.id] ?? 0) - count)
                    signalling.consume(count, on: tag, into: &actions)
                }
            case 3:
                if Int.random(in: 0..<8, using: &random) == 0, let tag = order.randomElement(using: &random) {
                    signalling.closeChannel(tag, now: now, into: &actions)
                }
            case 4:
                now = now + .milliseconds(Int64.random(in: 0...5_000, using: &random))
                signalling.advance(to: now, into: &actions)
            case 5:
                let kept = pendingFrames
                pendingFrames = []
                for tag in kept { signalling.frameLeft(tag, now: now, into: &actions) }
            case 6, 7, 8:
                signalling.receive(Self.command(peerNames, awaited, &random), now: now, into: &actions)
            default:
                let name = L2CAPChannelID(rawValue: UInt16.random(in: 0x40...0x50, using: &random))
                signalling.receiveFrame(Self.frame(&random), on: name, now: now, into: &actions)
            }

            while !actions.isEmpty {
                let batch = actions
                actions = []
                for action in batch {
                    switch action {
                    case .send(let pdu):
                        demand(pdu.readableBytes <= LESignalling.mtu)
                    case .updateConnection, .parameterRequestEnded, .channel(.ready):
                        break
                    case .channel(.requested(let name, let spsm)):
                        demand(spsm == 0x80)
                        if Bool.random(using: &random) {
                            signalling.acceptChannel(name, as: ChannelID(rawValue: nextID), into: &actions)
                            nextID += 1
                        } else {
                            signalling.refuseChannel(name, .insufficientAuthorization, into: &actions)
                        }
                    case .channel(.opened(let channel)):
                        demand(open[channel.tag.id] == nil && !ended.contains(channel.tag.id))
                        open[channel.tag.id] = channel.tag
                        opened += 1
                    case .channel(.failed(let id, _)):
                        demand(open[id] == nil && ended.insert(id).inserted)
                    case .channel(.received(let id, let octets)):
                        demand(open[id] != nil)
                        unread[id, default: 0] += octets.readableBytes
                        demand(unread[id, default: 0] <= 6 * 40 + 100)
                    case .channel(.send(let frame, _, let tag)):
                        demand(frame.readableBytes <= 65_533)
                        pendingFrames.append(tag)
                    case .channel(.closed(let id, _)):
                        demand(open.removeValue(forKey: id) != nil && ended.insert(id).inserted)
                    }
                }
            }

            demand(signalling.channels.taken.count <= CreditBasedChannels.maximumCount)
            peerNames = []
            var sending: [UInt16] = []
            awaited = []
            for name in signalling.channels.taken {
                let slot = signalling.channels[name]
                if let peer = slot.peer { peerNames.append(peer.rawValue) }
                if slot.sends, let peer = slot.peer { sending.append(peer.rawValue) }
                if let identifier = slot.identifier { awaited.append(identifier) }
                if let channel = signalling.channels.flow(name) {
                    demand(0...0xFFFF ~= channel.credits && 0...6 ~= channel.peerCredits)
                    demand(channel.queuedOctets <= Self.sendLimit)
                }
            }
            demand(Set(sending).count == sending.count)
        }
        #expect(opened > 20)

        var actions: [LESignalling.Action] = []
        signalling.close(into: &actions)
        #expect(signalling.channels.taken.isEmpty && signalling.nextDeadline == nil)
    }

    /// A command about channels, most of it as it should be.
    private static func command(
        _ peers: [UInt16],
        _ awaited: [UInt8],
        _ random: inout SeededGenerator
    ) -> ByteBuffer {
        func ours(_ random: inout SeededGenerator) -> L2CAPChannelID {
            L2CAPChannelID(rawValue: UInt16.random(in: 0x3F...0x50, using: &random))
        }
        func theirs(_ random: inout SeededGenerator) -> L2CAPChannelID {
            if let peer = peers.randomElement(using: &random), Int.random(in: 0..<4, using: &random) > 0 {
                return L2CAPChannelID(rawValue: peer)
            }
            return L2CAPChannelID(rawValue: UInt16.random(in: 0x3F...0x80, using: &random))
        }
        func size(_ random: inout SeededGenerator) -> UInt16 {
            Bool.random(using: &random)
                ? UInt16.random(in: 23...80, using: &random) : .random(in: 20...0xFFFF, using: &random)
        }
        let chance = UInt8.random(in: 1...255, using: &random)
        let identifier = awaited.randomElement(using: &random) ?? chance
        let command: LESignallingCommand =
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                .leCreditBasedConnectionRequest(
                    LECreditBasedConnectionRequest(
                        spsm: UInt16.random(in: 0x80...0x82, using: &random),
                        source: theirs(&random),
                        mtu: size(&random),
                        mps: size(&random),
                        initialCredits: UInt16.random(in: 0...4, using: &random)
                    )
                )
            case 2, 3:
                .leCreditBasedConnectionResponse(
                    LECreditBasedConnectionResponse(
                        destination: theirs(&random),
                        mtu: size(&random),
                        mps: size(&random),
                        initialCredits: UInt16.random(in: 0...4, using: &random),
                        result: CreditBasedConnectionResult(rawValue: Bool.random(using: &random) ? 0 : 4)
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
