// Runs scripts against the signalling channel and the credit-based channels of a link. `>` and `<` lines are L2CAP frames
// without their length: two octets of channel, then the payload. The user's side of a script:
//
//     listen 0080 64 32 4           grants channels on an SPSM: MTU, MPS, window; `encrypted` or `authenticated` behind it
//     ? requested 0040 0080         the user is asked whether a peer may open this channel on this SPSM
//     accept 0040 · refuse 0040 6   he answers; accepted channels and those he opens are numbered from 1 on
//     open 0080 64 32 4             he asks for a channel
//     ? opened 1 0080 in 64         a channel is open; `out` where he asked for it; the peer's MTU
//     ? failed 1 WHY                it is not
//     write 1 01 02                 he sends octets; `? took N` follows where these are not all
//     ? received 1 01 02            octets came
//     consume 1 2                   he gives them back
//     ? ready 1                     there is room again
//     close 1 · ? closed 1 WHY
//     hold · left                   frames stay in the host from now on; they leave
//     wait 30 · end                 seconds go by; the link ends
//     security encrypted 16         the link is safer now

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

struct ChannelScript: HexScriptRunner {
    var signalling: LESignalling
    var now = NIODeadline.uptimeNanoseconds(0)
    private var actions: [LESignalling.Action] = []
    private var output: [String] = []
    private var tags: [UInt64: LESignalling.ChannelTag] = [:]
    private var lastNumber: UInt64 = 0
    private var isHolding = false
    private var kept: [LESignalling.ChannelTag] = []
    /// How many octets a channel keeps for the peer.
    let sendLimit: Int

    init(isCentral: Bool = false, sendLimit: Int = 65_536) {
        self.signalling = LESignalling(isCentral: isCentral)
        self.sendLimit = sendLimit
    }

    mutating func receive(_ bytes: ByteBuffer) {
        var payload = bytes
        let name = L2CAPChannelID(rawValue: payload.readInteger(endianness: .little) ?? 0)
        if name == .signalling {
            self.signalling.receive(payload, now: self.now, into: &self.actions)
        } else {
            self.signalling.receiveFrame(payload, on: name, now: self.now, into: &self.actions)
        }
    }

    mutating func takeOutput() -> [String] {
        while !self.actions.isEmpty {
            let actions = self.actions
            self.actions = []
            for action in actions { self.describe(action) }
        }
        defer { self.output = [] }
        return self.output
    }

    private mutating func describe(_ action: LESignalling.Action) {
        switch action {
        case .send(let pdu):
            #expect(pdu.readerIndex == PDUBuffer.headroom)
            #expect(pdu.readableBytes <= LESignalling.mtu)
            self.output.append("< 05 00 " + hex(pdu))
        case .updateConnection, .parameterRequestEnded:
            self.output.append("? \(action)")
        case .channel(.requested(let name, let spsm)):
            self.output.append("? requested \(name.rawValue.hexDigits) \(spsm.hexDigits)")
        case .channel(.opened(let channel)):
            self.tags[channel.tag.id.rawValue] = channel.tag
            let direction = channel.isIncoming ? "in" : "out"
            self.output.append(
                "? opened \(channel.tag.id.rawValue) \(channel.spsm.hexDigits) \(direction) \(channel.peerMTU)"
            )
        case .channel(.failed(let id, let error)):
            let reason =
                switch error {
                case .refused(let result): "refused \(result.rawValue.hexDigits)"
                default: "\(error)"
                }
            self.output.append("? failed \(id.rawValue) \(reason)")
        case .channel(.received(let id, let octets)):
            self.output.append("? received \(id.rawValue)" + (octets.readableBytes > 0 ? " " + hex(octets) : ""))
        case .channel(.send(let frame, let peer, let tag)):
            #expect(frame.readerIndex == PDUBuffer.headroom)
            var name = ByteBuffer()
            name.writeInteger(peer.rawValue, endianness: .little)
            self.output.append("< " + hex(name) + " " + hex(frame))
            if self.isHolding {
                self.kept.append(tag)
            } else {
                self.signalling.frameLeft(tag, now: self.now, into: &self.actions)
            }
        case .channel(.ready(let id)):
            self.output.append("? ready \(id.rawValue)")
        case .channel(.closed(let id, let reason)):
            let text =
                switch reason {
                case .violation(let violation): "violation \(violation)"
                default: "\(reason)"
                }
            self.output.append("? closed \(id.rawValue) \(text)")
        }
    }

    mutating func perform(_ word: String, _ arguments: [String]) -> Bool {
        switch word {
        case "listen":
            let security: ChannelSecurity =
                switch arguments.dropFirst(4).first {
                case "encrypted": .encrypted
                case "authenticated":
                    ChannelSecurity(
                        needsEncryption: true,
                        needsAuthentication: true,
                        minimumKeySize: 16
                    )
                default: .none
                }
            self.signalling.channels.listeners[number(arguments[0])] = CreditBasedChannels.Listener(
                configuration: self.configuration(arguments[1...3]),
                security: security
            )
        case "deafen":
            self.signalling.channels.listeners[number(arguments[0])] = nil
        case "accept":
            self.signalling.acceptChannel(self.name(arguments[0]), as: self.nextID(), into: &self.actions)
        case "refuse":
            let result = CreditBasedConnectionResult(rawValue: number(arguments[1]))
            self.signalling.refuseChannel(self.name(arguments[0]), result, into: &self.actions)
        case "open":
            self.signalling.openChannel(
                self.nextID(),
                spsm: number(arguments[0]),
                configuration: self.configuration(arguments[1...3]),
                now: self.now,
                into: &self.actions
            )
        case "write":
            let octets = octets(arguments.dropFirst())
            let tag = self.tag(arguments[0])
            let taken = self.signalling.write(octets, on: tag, now: self.now, into: &self.actions)
            if taken < octets.readableBytes { self.output.append("? took \(taken)") }
        case "consume":
            self.signalling.consume(Int(arguments[1]) ?? 0, on: self.tag(arguments[0]), into: &self.actions)
        case "close":
            self.signalling.closeChannel(self.tag(arguments[0]), now: self.now, into: &self.actions)
        case "overlong":
            self.signalling.receiveOverlongFrame(on: self.name(arguments[0]), now: self.now, into: &self.actions)
        case "hold":
            self.isHolding = true
        case "left":
            let kept = self.kept
            self.kept = []
            for tag in kept { self.signalling.frameLeft(tag, now: self.now, into: &self.actions) }
        case "wait":
            self.now = self.now + .seconds(Int64(arguments[0]) ?? 0)
            self.signalling.advance(to: self.now, into: &self.actions)
        case "end":
            self.signalling.close(into: &self.actions)
        case "security":
            self.signalling.security = GATTLinkSecurity(
                level: arguments[0] == "authenticated" ? .authenticated : arguments[0] == "none" ? .none : .encrypted,
                keySize: arguments.count > 1 ? Int(arguments[1]) ?? 16 : 16,
                isBonded: arguments.contains("bonded")
            )
        default:
            return false
        }
        return true
    }

    private mutating func nextID() -> ChannelID {
        self.lastNumber += 1
        return ChannelID(rawValue: self.lastNumber)
    }

    private func tag(_ text: String) -> LESignalling.ChannelTag {
        let number = UInt64(text) ?? 0
        let nobody = LESignalling.ChannelTag(id: ChannelID(rawValue: number), name: L2CAPChannelID(rawValue: 0x40))
        return self.tags[number] ?? nobody
    }

    private func name(_ text: String) -> L2CAPChannelID { L2CAPChannelID(rawValue: number(text)) }

    private func configuration(_ texts: ArraySlice<String>) -> ChannelConfiguration {
        let numbers = texts.map { Int($0) ?? 0 }
        return ChannelConfiguration(mtu: numbers[0], mps: numbers[1], window: numbers[2], sendLimit: self.sendLimit)
    }
}

private func number(_ text: String) -> UInt16 { UInt16(text, radix: 16) ?? 0 }
