// Walks through L2CAP with everything on record: frames cut and put together at each length, signalling commands from
// random octets, connection parameters, and both directions of a channel at the edges of their limits.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("L2CAP: walks")
struct L2CAPWalkTests {
    @Test("a frame of each length is cut for each packet length and put together again")
    func fragments() {
        for maximumLength in [1, 3, 4, 5, 23, 27, 251] {
            for length in 0...60 {
                let payload = ByteBuffer(bytes: (0..<length).map { UInt8($0 + 1) })
                var fragmenter = ACLFragmenter(
                    payload,
                    channel: CID(rawValue: 0x41),
                    handle: ConnectionHandle(rawValue: 0x0EFF),
                    maximumLength: maximumLength
                )
                var reassembler = L2CAPReassembler()
                var frame: L2CAPFrame?
                let expected = (length + 4 + maximumLength - 1) / maximumLength
                for index in 0..<expected {
                    #expect(fragmenter.packetsLeft == expected - index && !fragmenter.isFinished && frame == nil)
                    guard let packet = fragmenter.next(), let data = try? packet.aclData() else {
                        Issue.record("packet \(index) of \(length) octets is missing")
                        return
                    }
                    #expect(data.header.boundary.isFirst == (index == 0))
                    #expect(data.fragment.readableBytes <= maximumLength)
                    RunRecord.note(packet.bytes.hex)
                    let outcome = reassembler.receive(data.fragment, isStart: data.header.boundary.isFirst)
                    #expect(outcome.violation == nil)
                    frame = outcome.frame
                }
                let last = fragmenter.next()
                #expect(fragmenter.isFinished && fragmenter.packetsLeft == 0 && last == nil)
                #expect(frame == L2CAPFrame(channel: CID(rawValue: 0x41), payload: payload))
            }
        }
    }

    @Test("fragments in any order and of any length", arguments: 0..<8 as Range<UInt64>)
    func reassembly(seed: UInt64) {
        var choice = WalkChoice(seed)
        var reassembler = L2CAPReassembler(maximumPayloadLength: 20)
        for _ in 0..<600 {
            let isStart = choice.oneIn(2)
            var octets = ByteBuffer()
            if isStart {
                octets.writeInteger(UInt16(choice.below(23)), endianness: .little)
                octets.writeInteger(UInt16(choice.below(0x90)), endianness: .little)
                octets.writeBytes(choice.octets(choice.below(24)))
                octets.moveWriterIndex(to: choice.oneIn(6) ? choice.below(4) : octets.writerIndex)
            } else {
                octets = choice.bytes(choice.below(9))
            }
            let takesWhole = (18...22).map(reassembler.takesWhole)
            let outcome = reassembler.receive(octets, isStart: isStart)
            #expect(outcome.frame.map { $0.payload.readableBytes <= 20 } ?? true)
            RunRecord.note("\(takesWhole) \(outcome)")
        }
    }

    @Test(
        "signalling commands from random octets: what is read is written again, and answered",
        arguments: [false, true]
    )
    func commands(isCentral: Bool) {
        var choice = WalkChoice(isCentral ? 1 : 0)
        var signalling = LESignalling(isCentral: isCentral)
        signalling.channels.listeners[0x80] = .init(configuration: L2CAPChannelConfiguration(), security: .none)
        signalling.channels.listeners[0x81] = .init(
            configuration: L2CAPChannelConfiguration(),
            security: SecurityRequirement(level: .authenticated, minimumKeySize: 10, needsAuthorization: true)
        )
        let securities = [
            LinkSecurity.none, LinkSecurity(key: nil, isBonded: true), LinkSecurity(level: .encrypted),
            LinkSecurity(level: .authenticated, keySize: 9), LinkSecurity(level: .authenticated, keySize: 10),
            LinkSecurity(level: .secureConnections, isAuthorized: true),
        ]
        for round in 0..<3_000 {
            let code = LESignallingCode(rawValue: UInt8(choice.oneIn(10) ? choice.below(256) : choice.number(0...0x1B)))
            let length = choice.oneIn(20) ? choice.number(16...24) : choice.one([0, 1, 2, 3, 4, 6, 8, 10, 12, 18])
            var parameters = ByteBuffer()
            while parameters.readableBytes < length {
                let values: [UInt16] = [0, 1, 2, 6, 0x17, 0x40, 0x7F, 0x80, 0x81, 0x100, 0xC80, 0xFFFF]
                parameters.writeInteger(choice.oneIn(5) ? choice.short() : choice.one(values), endianness: .little)
            }
            parameters.moveWriterIndex(to: length)
            var rest = parameters
            if let command = try? LESignallingCommand(code, parameters: &rest) {
                let encoded = command.encoded(identifier: 9)
                RunRecord.note("\(command) \(encoded.hex)")
                switch command {
                case .commandReject, .unknown, .connectionParameterUpdateResponse: break
                default:
                    let octets = parameters.readableBytesView.prefix(encoded.readableBytes - 4)
                    #expect(encoded.readableBytesView.dropFirst(4).elementsEqual(octets))
                }
            }
            var payload = ByteBuffer(bytes: [code.rawValue, UInt8(choice.one([0, 1, 1, 2, 7, 255]))])
            payload.writeInteger(UInt16(choice.oneIn(12) ? choice.below(24) : length), endianness: .little)
            payload.writeBuffer(&parameters)
            if choice.oneIn(40) { payload.moveWriterIndex(to: choice.below(5)) }
            self.take(payload, &signalling, choice.one(securities), at: round)
        }
    }

    private func take(_ payload: ByteBuffer, _ signalling: inout LESignalling, _ security: LinkSecurity, at time: Int) {
        let now = NIODeadline.uptimeNanoseconds(0) + .milliseconds(Int64(time) * 100)
        var actions: [LESignalling.Action] = []
        signalling.receive(payload, security: security, now: now, into: &actions)
        var nextID = UInt64(time) * 10
        while !actions.isEmpty {
            let batch = actions
            actions = []
            for action in batch {
                RunRecord.note("\(action)")
                guard case .channel(.requested(let cid, _)) = action else { continue }
                nextID += 1
                let id = L2CAPChannelID(rawValue: nextID)
                signalling.update(cid, now: now, into: &actions) { $0.accept(as: id, &$1) }
            }
        }
        // Now and then the user closes what the peer has opened, so that there is room.
        if time % 40 == 0, let id = signalling.channels.localCIDs.first.flatMap({ signalling.channels[$0]?.id }) {
            signalling.update(id, now: now, into: &actions) { $0.close(after: [], &$1) }
        }
        signalling.advance(to: now, into: &actions)
        for action in actions { RunRecord.note("\(action)") }
    }

    @Test(
        "a peripheral asks for parameters, again and again, of a central that answers or not",
        arguments: 0..<12 as Range<UInt64>
    )
    func parameterRequests(seed: UInt64) {
        var choice = WalkChoice(seed)
        var signalling = LESignalling(isCentral: false)
        var now = NIODeadline.uptimeNanoseconds(0)
        for round in 0..<200 {
            var actions: [LESignalling.Action] = []
            now = now + .milliseconds(Int64(choice.one([0, 0, 1, 1_000, 9_999, 29_999, 30_000])))
            let identifier = UInt8(choice.oneIn(4) ? choice.number(1...255) : max(Int(signalling.lastIdentifier), 1))
            switch choice.below(8) {
            case 0, 1, 2:
                let parameters = ConnectionParameters(
                    minimumInterval: ConnectionInterval(rawValue: UInt16(6 + round)),
                    maximumInterval: ConnectionInterval(rawValue: UInt16(6 + round)),
                    supervisionTimeout: SupervisionTimeout(rawValue: 600)
                )
                signalling.requestParameters(.init(asking: parameters), now: now, into: &actions)
            case 3: signalling.advance(to: now, into: &actions)
            case 4, 5:
                let response = LESignallingCommand.connectionParameterUpdateResponse(isAccepted: choice.oneIn(2))
                signalling.receive(response.encoded(identifier: identifier), now: now, into: &actions)
            case 6:
                let reject = LESignallingCommand.commandReject(.notUnderstood).encoded(identifier: identifier)
                signalling.receive(reject, now: now, into: &actions)
            default: if choice.oneIn(30) { signalling.close(into: &actions) }
            }
            RunRecord.note("\(actions) \(String(describing: signalling.nextDeadline)) \(signalling.isClosed)")
        }
    }

    @Test("parameters that a peripheral asks for, each value at its limits")
    func parameterLimits() {
        let intervals: [UInt16] = [5, 6, 7, 0xC7F, 0xC80, 0xC81]
        for minimum in intervals {
            for maximum in intervals {
                for latency in [0, 1, 498, 499, 500] as [UInt16] {
                    for timeout in [9, 10, 11, 0xC7F, 0xC80, 0xC81] as [UInt16] {
                        let request = LEConnectionParameterRequest(
                            minimumInterval: ConnectionInterval(rawValue: minimum),
                            maximumInterval: ConnectionInterval(rawValue: maximum),
                            latency: latency,
                            supervisionTimeout: SupervisionTimeout(rawValue: timeout)
                        )
                        RunRecord.note("\(request) \(request.isValid)")
                    }
                }
            }
        }
        // The timeout is longer than twice what the peripheral may be silent for: 4 * timeout > (1 + latency) * maximum.
        for (timeout, isValid) in [(9, false), (25, false), (26, true)] as [(UInt16, Bool)] {
            let request = LEConnectionParameterRequest(
                minimumInterval: ConnectionInterval(rawValue: 6),
                maximumInterval: ConnectionInterval(rawValue: 10),
                latency: 9,
                supervisionTimeout: SupervisionTimeout(rawValue: timeout)
            )
            #expect(request.isValid == isValid)
        }
    }

    @Test("what one side of a channel sends the other one takes, at each size", arguments: 0..<24 as Range<UInt64>)
    func senderAndReceiver(seed: UInt64) {
        var choice = WalkChoice(seed)
        let configuration = L2CAPChannelConfiguration(
            mtu: choice.one([23, 24, 45, 46, 47, 100, 517]),
            mps: choice.one([23, 24, 46, 247]),
            window: choice.one([1, 2, 3, 8]),
            sendLimit: choice.one([1, 50, 300, 1_000])
        )
        var sender = CreditBasedSender(to: CreditBasedParameters(configuration), limit: configuration.sendLimit)
        var receiver = CreditBasedReceiver(configuration)
        RunRecord.note("\(configuration)")
        var (written, received) = (0, 0)
        for _ in 0..<400 {
            switch choice.below(7) {
            case 0, 1:
                let count = choice.one([0, 1, 21, 22, 44, 255, 256, 300, 600])
                let octets = ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: written + $0) })
                let taken = sender.write(octets)
                written += taken
                RunRecord.note("wrote \(taken)")
            case 2 where choice.oneIn(10): sender.finish(with: [])
            case 2, 3, 4:
                guard let frame = sender.nextFrame() else { continue }
                #expect(frame.readableBytes <= configuration.mps)
                let reception = receiver.receive(frame)
                RunRecord.note("\(frame.hex) \(reception)")
                if choice.oneIn(8) { sender.frameSent() } else { #expect(sender.nextFrame() == nil) }
                sender.frameSent()
                switch reception {
                case .sdu(let sdu):
                    #expect(
                        sdu.readableBytesView.elementsEqual(
                            (0..<sdu.readableBytes).map {
                                UInt8(truncatingIfNeeded: received + $0)
                            }
                        )
                    )
                    received += sdu.readableBytes
                case .incomplete: break
                case .violation(let violation): Issue.record("\(violation)")
                }
            case 5:
                receiver.consume(choice.one([0, 1, 22, 23, 100, .max]))
                if let credits = receiver.takeGrant() {
                    let isAllowed = sender.addCredits(Int(credits))
                    #expect(isAllowed)
                    RunRecord.note("grant \(credits)")
                }
            default: RunRecord.note("writable \(sender.takeWritability())")
            }
            #expect(sender.credits == receiver.peerCredits && sender.queuedOctets <= max(configuration.sendLimit, 0))
            RunRecord.note("\(sender.credits) \(sender.queuedOctets) \(sender.isDrained)")
        }
        let (isTooMany, isMost) = (
            !sender.addCredits(0x1_0000 - sender.credits), sender.addCredits(0xFFFF - sender.credits)
        )
        #expect(isTooMany && isMost && sender.credits == 0xFFFF)
    }

    @Test("frames of a peer that keeps no rule", arguments: 0..<8 as Range<UInt64>)
    func hostileFrames(seed: UInt64) {
        var choice = WalkChoice(seed)
        let configuration = L2CAPChannelConfiguration(mtu: 40, mps: 24, window: 3)
        var receiver = CreditBasedReceiver(configuration)
        for _ in 0..<400 {
            var frame = ByteBuffer()
            if choice.oneIn(2) { frame.writeInteger(UInt16(choice.number(0...42)), endianness: .little) }
            frame.writeBytes(choice.octets(choice.one([0, 1, 10, 21, 22, 23, 24, 25])))
            let reception = receiver.receive(frame)
            if choice.oneIn(2) { receiver.consume(choice.one([1, 10, .max])) }
            RunRecord.note("\(reception) \(String(describing: receiver.takeGrant())) \(receiver.peerCredits)")
            #expect(0...3 ~= receiver.peerCredits)
            if case .violation = reception { receiver = CreditBasedReceiver(configuration) }
        }
    }

    @Test("the sizes of a configuration are brought into their ranges, and a peer's are refused outside of them")
    func sizes() {
        for number in [-1, 0, 1, 22, 23, 24, 2_047, 2_048, 2_049, 65_532, 65_533, 65_534, 65_535, 65_536] {
            let configuration = L2CAPChannelConfiguration(mtu: number, mps: number, window: number, sendLimit: number)
            RunRecord.note("\(configuration) \(CreditBasedParameters(configuration))")
            guard let value = UInt16(exactly: number) else { continue }
            for (mtu, mps) in [(value, 23), (23, value), (value, value)] as [(UInt16, UInt16)] {
                let parameters = CreditBasedParameters(mtu: mtu, mps: mps, initialCredits: value)
                RunRecord.note("\(parameters) \(parameters.isAcceptable)")
            }
        }
    }

    @Test("listeners come and go until every dynamic SPSM is taken")
    func listeners() {
        var choice = WalkChoice(0)
        var channels = HostChannels()
        let listener = CreditBasedChannels.Listener(configuration: L2CAPChannelConfiguration(), security: .none)
        for _ in 0..<700 {
            let spsm =
                choice.oneIn(3) ? SPSM(rawValue: UInt16(choice.one([0, 1, 0x7F, 0x80, 0x81, 0xFF, 0x100]))) : nil
            let first = SPSM(rawValue: UInt16(choice.number(0x80...0xFF)))
            do throws(L2CAPListenError) {
                let listening = try channels.listen(on: spsm, from: first, listener)
                RunRecord.note("\(listening)")
            } catch {
                RunRecord.note("\(error)")
            }
            if choice.oneIn(8) { channels.stopListening(on: SPSM(rawValue: UInt16(choice.number(0x80...0xFF)))) }
            #expect(channels.listeners.keys.allSatisfy(SPSM.validRange.contains))
        }
        RunRecord.note("\(channels.listeners.keys.sorted())")
        for error in [.refused(.noResources), .notSupported, .invalidResponse, .timedOut, .noResources, .notConnected]
            as [L2CAPChannelOpenError]
        {
            RunRecord.note("\(error)")
        }
        for violation in [
            .noCredit, .creditOverflow, .frameTooLong, .noSDULength, .sduTooLong, .moreOctetsThanAnnounced,
            .duplicateRemoteCID,
        ] as [L2CAPChannelViolation] {
            RunRecord.note("\(L2CAPChannelCloseReason.violation(violation))")
        }
        for reason in [.closedLocally, .unconfirmed, .closedByPeer, .linkEnded] as [L2CAPChannelCloseReason] {
            RunRecord.note("\(reason)")
        }
    }
}
