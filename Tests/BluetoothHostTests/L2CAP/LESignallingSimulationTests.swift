// The signalling channel under random frames, and parameter requests that are answered or not.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE signalling: simulation")
struct LESignallingSimulationTests {
    /// A frame with a mostly valid header and mostly valid parameters.
    private static func frame(_ choices: inout SeededChoices) -> ByteBuffer {
        if choices.once(in: 8) { return ByteBuffer(bytes: choices.octets(choices.below(31))) }
        let values: [UInt16] = [0, 1, 2, 6, 0x17, 0x40, 0x7F, 0x80, 0x81, 0x100, 0xC80, 0xFFFF]
        var parameters = ByteBuffer()
        for _ in 0..<choices.pick([0, 1, 2, 3, 4, 5, 6, 9]) {
            parameters.writeInteger(choices.pick(values), endianness: .little)
        }
        if choices.once(in: 10) { parameters.writeInteger(UInt8(0)) }
        var bytes = ByteBuffer(bytes: [UInt8(choices.below(0x1C)), choices.pick([0, 1, 1, 2, 7, 255])])
        let length = choices.once(in: 12) ? choices.below(24) : parameters.readableBytes
        bytes.writeInteger(UInt16(length), endianness: .little)
        bytes.writeImmutableBuffer(parameters)
        return bytes
    }

    @Test("Answers a frame at most once, and writes what it has read", arguments: simulationSeeds(4))
    func randomFrames(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var signalling = LESignalling(isCentral: seed % 2 == 0)
        signalling.channels.listeners[0x80] = .init(configuration: L2CAPChannelConfiguration(), security: .none)
        signalling.channels.listeners[0x81] = .init(configuration: L2CAPChannelConfiguration(), security: .encrypted)
        for round in 0..<2_000 {
            let now = NIODeadline.uptimeNanoseconds(0) + .milliseconds(Int64(round) * 100)
            let frame = Self.frame(&choices)
            var bytes = frame
            if let header = try? LESignallingHeader(parsing: &bytes), header.identifier != 0,
                let command = try? LESignallingCommand(header.code, parameters: &bytes)
            {
                var parameters = command.encoded(identifier: header.identifier)
                parameters.moveReaderIndex(forwardBy: LESignallingHeader.length)
                #expect((try? LESignallingCommand(header.code, parameters: &parameters)) == command)
            }
            var actions: [LESignalling.Action] = []
            signalling.receive(frame, now: now, into: &actions)
            let sent = actions.compactMap { if case .send(let pdu) = $0 { pdu } else { nil } }
            #expect(sent.count <= 1 && sent.allSatisfy { $0.readableBytes <= LESignalling.mtu })
            // The user refuses the peer's channels, so the table is not full.
            for case .channel(.requested(let cid, _)) in actions {
                signalling.update(cid, now: now, into: &actions) { $0.refuse(.insufficientAuthorization, &$1) }
            }
            signalling.advance(to: now, into: &actions)
        }
        #expect(signalling.channels.localCIDs.isEmpty)
    }

    @Test("Ends each parameter request once, and waits 30 s after an answer", arguments: simulationSeeds(8))
    func parameterRequests(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        var signalling = LESignalling(isCentral: false)
        var now = NIODeadline.uptimeNanoseconds(0)
        var pending: Set<LEConnectionParameterRequest> = []
        var rests: NIODeadline?
        for round in 0..<200 {
            var actions: [LESignalling.Action] = []
            now = now + .milliseconds(choices.pick([0, 0, 1, 1_000, 9_999, 29_999, 30_000]))
            let identifier = choices.once(in: 4) ? UInt8(1 + choices.below(255)) : max(signalling.lastIdentifier, 1)
            switch choices.below(7) {
            case 0, 1, 2:
                let wanted = LEConnectionParameterRequest(
                    minimumInterval: ConnectionInterval(rawValue: UInt16(6 + round)),
                    maximumInterval: ConnectionInterval(rawValue: UInt16(6 + round)),
                    latency: 0,
                    supervisionTimeout: SupervisionTimeout(rawValue: 600)
                )
                pending.insert(wanted)
                signalling.requestParameters(wanted, now: now, into: &actions)
            case 3: signalling.advance(to: now, into: &actions)
            case 4, 5:
                let response = LESignallingCommand.connectionParameterUpdateResponse(isAccepted: choices.once(in: 2))
                signalling.receive(response.encoded(identifier: identifier), now: now, into: &actions)
            default:
                let reject = LESignallingCommand.commandReject(.notUnderstood)
                signalling.receive(reject.encoded(identifier: identifier), now: now, into: &actions)
            }
            for action in actions {
                switch action {
                case .parameterRequestEnded(let request, let outcome):
                    #expect(pending.remove(request) != nil, "\(request) has ended twice")
                    if [.accepted, .rejected].contains(outcome) { rests = now + .seconds(30) }
                case .send: #expect(rests.map { $0 <= now } ?? true)
                case .updateConnection, .channel: Issue.record("\(action)")
                }
            }
            #expect(pending.count <= 2)
        }
        var actions: [LESignalling.Action] = []
        signalling.close(into: &actions)
        for case .parameterRequestEnded(let request, _) in actions { pending.remove(request) }
        #expect(pending.isEmpty && signalling.nextDeadline == nil)
    }
}
