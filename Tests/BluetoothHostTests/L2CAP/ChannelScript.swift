// Runs scripts against the signalling channel and the credit-based channels of a link. `>` and `<` lines are L2CAP
// frames without their length: two octets of channel, then the payload. The user's side of a script:
//
//     listen 0080 64 32 4           grants channels on an SPSM: MTU, MPS, window; then `encrypted` or `authenticated`
//     ? requested 0040 0080         the user is asked whether a peer may open this channel on this SPSM
//     accept 0040 · refuse 0040 6   the user answers; accepted and opened channels are numbered from 1 on
//     open 0080 64 32 4             the user asks for a channel
//     ? opened 1 0080 in 64         a channel is open; `out` where the user asked; the peer's MTU
//     ? failed 1 WHY                it is not
//     write 1 01 02                 the user sends octets; `? took N` where not all were taken
//     ? received 1 01 02            octets came
//     consume 1 2                   the user gives them back
//     ? ready 1                     there is capacity again
//     close 1 · ? closed 1 WHY      last octets may follow the number
//     hold · left                   frames stay in the host from now on; they leave
//     wait 30 · later 30 · end      seconds go by, seen by the machine or not yet; the link ends
//     security encrypted 16         the link is safer now
//     ask 0018 0028 0000 002A       the user wants connection parameters: intervals, latency, timeout
//     ? ended 0018 accepted         the request with this minimum interval has ended
//     ? update 0018 0028 0000 002A  the peer's parameters are to be set
//     deadline 30 · deadline none   the machine has to be advanced after so many seconds

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
    private var lastNumber: UInt64 = 0
    private var isHolding = false
    private var queued: [L2CAPChannelID] = []
    private var security = LinkSecurity.none
    /// The largest number of octets that wait for the peer.
    let sendLimit: Int

    init(isCentral: Bool = false, sendLimit: Int = 65_536) {
        self.signalling = LESignalling(isCentral: isCentral)
        self.sendLimit = sendLimit
    }

    mutating func receive(_ bytes: ByteBuffer) {
        var payload = bytes
        let cid = CID(rawValue: payload.readInteger(endianness: .little) ?? 0)
        if cid == .signalling {
            self.signalling.receive(payload, security: self.security, now: self.now, into: &self.actions)
        } else {
            self.signalling.receiveFrame(payload, on: cid, now: self.now, into: &self.actions)
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
        case .updateConnection(let request):
            let numbers = [
                request.minimumInterval.rawValue, request.maximumInterval.rawValue, request.latency,
                request.supervisionTimeout.rawValue,
            ]
            self.output.append("? update " + numbers.map(\.hexDigits).joined(separator: " "))
        case .parameterRequestEnded(let request, let outcome):
            self.output.append("? ended \(request.minimumInterval.rawValue.hexDigits) \(outcome)")
        case .channel(.requested(let cid, let spsm)):
            self.output.append("? requested \(cid.rawValue.hexDigits) \(spsm.rawValue.hexDigits)")
        case .channel(.opened(let id, let spsm, let isIncoming, let peerMTU)):
            let direction = isIncoming ? "in" : "out"
            self.output.append("? opened \(id.rawValue) \(spsm.rawValue.hexDigits) \(direction) \(peerMTU)")
        case .channel(.failed(let id, let error)):
            self.output.append("? failed \(id.rawValue) \(error.word)")
        case .channel(.received(let id, let octets)):
            self.output.append("? received \(id.rawValue)" + (octets.readableBytes > 0 ? " " + hex(octets) : ""))
        case .channel(.send(let frame, let remoteCID, let id)):
            #expect(frame.readerIndex == PDUBuffer.headroom)
            var cid = ByteBuffer()
            cid.writeInteger(remoteCID.rawValue, endianness: .little)
            self.output.append("< " + hex(cid) + " " + hex(frame))
            if self.isHolding {
                self.queued.append(id)
            } else {
                self.signalling.update(id, now: self.now, into: &self.actions) { $0.frameSent(&$1) }
            }
        case .channel(.writable(let id)):
            self.output.append("? ready \(id.rawValue)")
        case .channel(.closed(let id, let reason)):
            self.output.append("? closed \(id.rawValue) \(reason.word)")
        }
    }

    mutating func perform(_ word: String, _ arguments: [String]) -> Bool {
        switch word {
        case "listen":
            let security: SecurityRequirement =
                switch arguments.dropFirst(4).first {
                case "encrypted": .encrypted
                case "authenticated":
                    SecurityRequirement(level: .authenticated, minimumKeySize: 16)
                default: .none
                }
            self.signalling.channels.listeners[SPSM(rawValue: number(arguments[0]))] = CreditBasedChannels.Listener(
                configuration: self.configuration(arguments[1...3]),
                security: security
            )
        case "deafen":
            self.signalling.channels.listeners[SPSM(rawValue: number(arguments[0]))] = nil
        case "accept":
            let id = self.nextID()
            self.update(self.cid(arguments[0])) { $0.accept(as: id, &$1) }
        case "refuse":
            let result = L2CAPConnectionResult(rawValue: number(arguments[1]))
            self.update(self.cid(arguments[0])) { $0.refuse(result, &$1) }
        case "open":
            self.signalling.openChannel(
                self.nextID(),
                to: SPSM(rawValue: number(arguments[0])),
                self.configuration(arguments[1...3]),
                now: self.now,
                into: &self.actions
            )
        case "write":
            let octets = octets(arguments.dropFirst())
            let taken = self.update(self.cid(of: arguments[0])) { $0.write(octets, &$1) } ?? 0
            if taken < octets.readableBytes { self.output.append("? took \(taken)") }
        case "consume":
            let count = Int(arguments[1]) ?? 0
            self.update(self.cid(of: arguments[0])) { $0.consume(count, &$1) }
        case "close":
            let last = arguments.count > 1 ? [octets(arguments.dropFirst())] : []
            self.update(self.cid(of: arguments[0])) { $0.close(after: last, &$1) }
        case "overlong":
            self.signalling.receiveOverlongFrame(on: self.cid(arguments[0]), now: self.now, into: &self.actions)
        case "hold":
            self.isHolding = true
        case "left":
            let queued = self.queued
            self.queued = []
            for id in queued { self.signalling.update(id, now: self.now, into: &self.actions) { $0.frameSent(&$1) } }
        case "wait":
            self.now = self.now + .seconds(Int64(arguments[0]) ?? 0)
            self.signalling.advance(to: self.now, into: &self.actions)
        case "later": self.now = self.now + .seconds(Int64(arguments[0]) ?? 0)
        case "end":
            self.signalling.close(into: &self.actions)
        case "ask":
            let numbers = arguments.map(number)
            let request = LEConnectionParameterRequest(
                minimumInterval: ConnectionInterval(rawValue: numbers[0]),
                maximumInterval: ConnectionInterval(rawValue: numbers[1]),
                latency: numbers[2],
                supervisionTimeout: SupervisionTimeout(rawValue: numbers[3])
            )
            self.signalling.requestParameters(request, now: self.now, into: &self.actions)
        case "deadline":
            let seconds = Int64(arguments[0]).map { NIODeadline.uptimeNanoseconds(0) + .seconds($0) }
            #expect(self.signalling.nextDeadline == seconds)
        case "security":
            self.security = LinkSecurity(
                level: arguments[0] == "authenticated" ? .authenticated : arguments[0] == "none" ? .none : .encrypted,
                keySize: arguments.count > 1 ? Int(arguments[1]) ?? 16 : 16,
                isBonded: arguments.contains("bonded")
            )
        default:
            return false
        }
        return true
    }

    private mutating func nextID() -> L2CAPChannelID {
        self.lastNumber += 1
        return L2CAPChannelID(rawValue: self.lastNumber)
    }

    @discardableResult
    private mutating func update<Result>(
        _ cid: CID?,
        _ body: (inout CreditBasedChannel, inout CreditBasedChannel.Context) -> Result
    ) -> Result? {
        self.signalling.update(cid, now: self.now, into: &self.actions, body)
    }

    private func cid(of number: String) -> CID? {
        self.signalling.channels.localCID(of: L2CAPChannelID(rawValue: UInt64(number) ?? 0))
    }

    private func cid(_ text: String) -> CID { CID(rawValue: number(text)) }

    private func configuration(_ texts: ArraySlice<String>) -> L2CAPChannelConfiguration {
        let numbers = texts.map { Int($0) ?? 0 }
        return L2CAPChannelConfiguration(
            mtu: numbers[0],
            mps: numbers[1],
            window: numbers[2],
            sendLimit: self.sendLimit
        )
    }
}

private func number(_ text: String) -> UInt16 { UInt16(text, radix: 16) ?? 0 }

extension L2CAPChannelOpenError {
    /// The case in scripts.
    fileprivate var word: String {
        switch self {
        case .refused(let result): "refused \(result.rawValue.hexDigits)"
        case .notSupported: "notSupported"
        case .invalidResponse: "invalidResponse"
        case .timedOut: "timedOut"
        case .noResources: "noResources"
        case .notConnected: "notConnected"
        }
    }
}

extension L2CAPChannelCloseReason {
    /// The case in scripts.
    var word: String {
        switch self {
        case .closedLocally: "closedLocally"
        case .unconfirmed: "unconfirmed"
        case .closedByPeer: "closedByPeer"
        case .violation(let violation): "violation \(violation.word)"
        case .linkEnded: "linkEnded"
        }
    }
}

extension L2CAPChannelViolation {
    fileprivate var word: String {
        switch self {
        case .noCredit: "noCredit"
        case .creditOverflow: "creditOverflow"
        case .frameTooLong: "frameTooLong"
        case .noSDULength: "noSDULength"
        case .sduTooLong: "sduTooLong"
        case .moreOctetsThanAnnounced: "moreOctetsThanAnnounced"
        case .duplicateRemoteCID: "duplicateRemoteCID"
        }
    }
}

extension ChannelScript {
    /// A peer opens a channel: MTU 64, MPS 32 and two credits against MTU 64, MPS 32 and a window of four.
    static let incoming = """
        listen 0080 64 32 4
        > 05 00 14 01 0A 00 80 00 41 00 40 00 20 00 02 00
        ? requested 0040 0080
        accept 0040
        < 05 00 15 01 0A 00 40 00 40 00 20 00 04 00 00 00
        ? opened 1 0080 in 64

        """

    /// This side opens a channel with the same sizes; the peer gives two credits.
    static let outgoing = """
        open 0080 64 32 4
        < 05 00 14 01 0A 00 80 00 40 00 40 00 20 00 04 00
        > 05 00 15 01 0A 00 41 00 40 00 20 00 02 00 00 00
        ? opened 1 0080 out 64

        """
}

/// A suite of scripts about channels.
protocol ChannelSuite {}

extension ChannelSuite {
    func run(
        _ script: String,
        isCentral: Bool = false,
        sendLimit: Int = 65_536,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var runner = ChannelScript(isCentral: isCentral, sendLimit: sendLimit)
        runner.run(script, sourceLocation: sourceLocation)
    }
}
