// The signalling channel, named by the cases of the qualification suite.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE signalling")
struct LESignallingTests: ChannelSuite {
    private typealias Action = LESignalling.Action

    private static func parameters(
        _ minimum: UInt16,
        _ maximum: UInt16,
        _ latency: UInt16,
        _ timeout: UInt16
    ) -> LEConnectionParameterRequest {
        LEConnectionParameterRequest(
            minimumInterval: ConnectionInterval(rawValue: minimum),
            maximumInterval: ConnectionInterval(rawValue: maximum),
            latency: latency,
            supervisionTimeout: SupervisionTimeout(rawValue: timeout)
        )
    }

    private let wanted = Self.parameters(0x18, 0x28, 0, 0x2A)
    private let other = Self.parameters(0x0C, 0x0C, 4, 0xC8)
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func receive(
        _ text: String,
        _ signalling: inout LESignalling,
        at time: TimeAmount = .nanoseconds(0)
    ) -> [Action] {
        var actions: [Action] = []
        signalling.receive(hex(text), now: self.start + time, into: &actions)
        return actions
    }

    private func request(
        _ wanted: LEConnectionParameterRequest,
        _ signalling: inout LESignalling,
        at time: TimeAmount = .nanoseconds(0)
    ) -> [Action] {
        var actions: [Action] = []
        signalling.requestParameters(wanted, now: self.start + time, into: &actions)
        return actions
    }

    private func advance(_ signalling: inout LESignalling, to time: TimeAmount) -> [Action] {
        var actions: [Action] = []
        signalling.advance(to: self.start + time, into: &actions)
        return actions
    }

    // MARK: Connection parameter update

    @Test("L2CAP/LE/CPU/BV-01-C Asks as a peripheral, and is accepted")
    func cpuBV01() {
        var signalling = LESignalling(isCentral: false)
        #expect(self.request(self.wanted, &signalling) == [.send(hex("12 01 08 00 18 00 28 00 00 00 2A 00"))])
        #expect(signalling.nextDeadline == self.start + .seconds(30))
        #expect(
            self.receive("13 01 02 00 00 00", &signalling) == [.parameterRequestEnded(self.wanted, .accepted)]
        )
        #expect(signalling.nextDeadline == nil)
    }

    @Test("L2CAP/LE/CPU/BV-02-C Accepts as a central, and sets the parameters")
    func cpuBV02() {
        var signalling = LESignalling(isCentral: true)
        #expect(
            self.receive("12 05 08 00 18 00 28 00 00 00 2A 00", &signalling)
                == [.send(hex("13 05 02 00 00 00")), .updateConnection(self.wanted)]
        )
    }

    @Test(
        "L2CAP/LE/CPU/BI-01-C Rejects as a central parameters that are not allowed",
        arguments: [
            "05 00 28 00 00 00 2A 00", "18 00 81 0C 00 00 80 0C", "28 00 18 00 00 00 2A 00",
            "18 00 28 00 F4 01 80 0C", "18 00 28 00 00 00 09 00", "18 00 28 00 00 00 81 0C",
            "18 00 28 00 04 00 2A 00", "00 00 00 00 00 00 00 00", "FF FF FF FF FF FF FF FF",
        ]
    )
    func cpuBI01(parameters: String) {
        var signalling = LESignalling(isCentral: true)
        #expect(
            self.receive("12 05 08 00" + parameters, &signalling) == [.send(hex("13 05 02 00 01 00"))]
        )
    }

    @Test("L2CAP/LE/CPU/BI-02-C Does not understand the request as a peripheral")
    func cpuBI02() {
        var signalling = LESignalling(isCentral: false)
        #expect(
            self.receive("12 05 08 00 18 00 28 00 00 00 2A 00", &signalling) == [.send(hex("01 05 02 00 00 00"))]
        )
    }

    @Test func `A request ends if the central refuses, does not understand, or stays silent`() {
        var signalling = LESignalling(isCentral: false)
        _ = self.request(self.wanted, &signalling)
        #expect(
            self.receive("13 01 02 00 01 00", &signalling) == [.parameterRequestEnded(self.wanted, .rejected)]
        )
        signalling = LESignalling(isCentral: false)
        _ = self.request(self.wanted, &signalling)
        #expect(
            self.receive("01 01 02 00 00 00", &signalling) == [.parameterRequestEnded(self.wanted, .notUnderstood)]
        )
        signalling = LESignalling(isCentral: false)
        _ = self.request(self.wanted, &signalling)
        #expect(self.advance(&signalling, to: .seconds(30) - .nanoseconds(1)) == [])
        #expect(self.advance(&signalling, to: .seconds(30)) == [.parameterRequestEnded(self.wanted, .timedOut)])
        #expect(signalling.nextDeadline == nil)
        #expect(self.receive("13 01 02 00 00 00", &signalling, at: .seconds(31)) == [])
    }

    @Test func `A response with another identifier, or a second one, is ignored`() {
        var signalling = LESignalling(isCentral: false)
        #expect(self.receive("13 01 02 00 00 00", &signalling) == [])
        _ = self.request(self.wanted, &signalling)
        #expect(self.receive("13 02 02 00 00 00", &signalling) == [])
        #expect(self.receive("13 01 02 00", &signalling) == [])
        #expect(self.receive("13 01 02 00 00 00", &signalling).count == 1)
        #expect(self.receive("13 01 02 00 00 00", &signalling) == [])
    }

    @Test func `While one request is under way the newest one waits`() {
        var signalling = LESignalling(isCentral: false)
        _ = self.request(self.wanted, &signalling)
        #expect(self.request(self.other, &signalling) == [])
        let newest = Self.parameters(6, 6, 0, 100)
        #expect(self.request(newest, &signalling) == [.parameterRequestEnded(self.other, .superseded)])
        #expect(
            self.receive("13 01 02 00 00 00", &signalling, at: .seconds(1))
                == [.parameterRequestEnded(self.wanted, .accepted)]
        )
        // 30 s must lie between an answer and the next request.
        #expect(signalling.nextDeadline == self.start + .seconds(31))
        #expect(self.advance(&signalling, to: .seconds(30)) == [])
        #expect(
            self.advance(&signalling, to: .seconds(31)) == [.send(hex("12 02 08 00 06 00 06 00 00 00 64 00"))]
        )
        #expect(signalling.nextDeadline == self.start + .seconds(61))
        // Silence ends this one, and what waited goes at once.
        #expect(self.request(self.other, &signalling, at: .seconds(40)) == [])
        #expect(
            self.advance(&signalling, to: .seconds(61)) == [
                .parameterRequestEnded(newest, .timedOut), .send(hex("12 03 08 00 0C 00 0C 00 04 00 C8 00")),
            ]
        )
    }

    @Test func `A request 30 s after the last answer leaves at once`() {
        var signalling = LESignalling(isCentral: false)
        _ = self.request(self.wanted, &signalling)
        _ = self.receive("13 01 02 00 01 00", &signalling)
        #expect(self.request(self.other, &signalling, at: .seconds(29)) == [])
        #expect(
            self.request(self.wanted, &signalling, at: .seconds(30)) == [
                .parameterRequestEnded(self.other, .superseded), .send(hex("12 02 08 00 18 00 28 00 00 00 2A 00")),
            ]
        )
    }

    @Test func `The 30 s between two requests end once`() {
        var signalling = LESignalling(isCentral: false)
        _ = self.request(self.wanted, &signalling)
        _ = self.receive("13 01 02 00 00 00", &signalling, at: .seconds(1))
        #expect(self.advance(&signalling, to: .seconds(31) - .nanoseconds(1)) == [])
        #expect(self.request(self.other, &signalling, at: .seconds(31) - .nanoseconds(1)) == [])
        #expect(signalling.nextDeadline == self.start + .seconds(31))
        _ = self.advance(&signalling, to: .seconds(31))
        _ = self.receive("13 02 02 00 00 00", &signalling, at: .seconds(31))
        #expect(signalling.nextDeadline == nil, "nothing waits for the end of this rest")
        #expect(self.advance(&signalling, to: .seconds(61)) == [])
        // It leaves at once.
        #expect(
            self.request(self.wanted, &signalling, at: .seconds(60))
                == [.send(hex("12 03 08 00 18 00 28 00 00 00 2A 00"))]
        )
        #expect(signalling.nextDeadline == self.start + .seconds(90))
    }

    @Test func `The end of the link ends every request`() {
        var signalling = LESignalling(isCentral: false)
        _ = self.request(self.wanted, &signalling)
        _ = self.request(self.other, &signalling)
        var actions: [Action] = []
        signalling.close(into: &actions)
        #expect(
            actions == [
                .parameterRequestEnded(self.wanted, .linkEnded), .parameterRequestEnded(self.other, .linkEnded),
            ]
        )
        #expect(signalling.nextDeadline == nil)
        #expect(self.request(self.wanted, &signalling) == [.parameterRequestEnded(self.wanted, .linkEnded)])
        #expect(self.receive("0A 02 02 00 02 00", &signalling) == [])
    }

    @Test func `Identifiers go from 1 to 255 and begin anew`() {
        var signalling = LESignalling(isCentral: false)
        var seen: [UInt8] = []
        for round in 0..<600 {
            let time = TimeAmount.seconds(Int64(round) * 40)
            guard case .send(let bytes)? = self.request(self.wanted, &signalling, at: time).first,
                let identifier: UInt8 = bytes.getInteger(at: bytes.readerIndex + 1)
            else {
                Issue.record("no request in round \(round)")
                return
            }
            seen.append(identifier)
            let text = "13" + identifier.hexDigits + "02 00 01 00"
            #expect(self.receive(text, &signalling, at: time).count == 1)
        }
        #expect(seen == (0..<600).map { UInt8($0 % 255 + 1) })
    }

    @Test func `An identifier whose response is awaited is left out, that of a channel's request, too`() {
        var signalling = LESignalling(isCentral: false)
        #expect(self.request(self.wanted, &signalling) == [.send(hex("12 01 08 00 18 00 28 00 00 00 2A 00"))])
        signalling.lastIdentifier = 255
        #expect(signalling.nextIdentifier == 2)
        var channels = ChannelScript()
        channels.run(
            """
            open 0081 64 32 4
            < 05 00 14 01 0A 00 81 00 40 00 40 00 20 00 04 00
            """
        )
        channels.signalling.lastIdentifier = 255
        #expect(channels.signalling.nextIdentifier == 2)
    }

    @Test func `The deadline is the earlier one of the parameter request's and of the channels'`() {
        for isChannelFirst in [true, false] {
            var signalling = LESignalling(isCentral: false)
            var actions: [Action] = []
            let second = TimeAmount.seconds(5)
            #expect(signalling.nextDeadline == nil)
            signalling.openChannel(
                L2CAPChannelID(rawValue: 1),
                to: 0x80,
                L2CAPChannelConfiguration(),
                now: self.start + (isChannelFirst ? .zero : second),
                into: &actions
            )
            #expect(signalling.nextDeadline == self.start + .seconds(30) + (isChannelFirst ? .zero : second))
            #expect(!self.request(self.wanted, &signalling, at: isChannelFirst ? second : .zero).isEmpty)
            #expect(signalling.nextDeadline == self.start + .seconds(30))
        }
    }

    @Test func `A repeated request is answered again and followed once`() {
        var signalling = LESignalling(isCentral: true)
        let request = "12 05 08 00 18 00 28 00 00 00 2A 00"
        #expect(self.receive(request, &signalling).count == 2)
        #expect(self.receive(request, &signalling) == [.send(hex("13 05 02 00 00 00"))])
        // The same identifier with other parameters, or another identifier, is a new request.
        #expect(self.receive("12 05 08 00 0C 00 0C 00 04 00 C8 00", &signalling).count == 2)
        #expect(self.receive("12 06 08 00 0C 00 0C 00 04 00 C8 00", &signalling).count == 2)
    }

    // MARK: Rejected and ignored frames

    @Test("follows the scripts of invalid frames in both roles", arguments: invalidFrames, [true, false])
    func follows(script: ScriptCase, isCentral: Bool) { self.run(script.steps, isCentral: isCentral) }

    private static let invalidFrames = ScriptCase.all(
        """
        ## L2CAP/LE/REJ/BI-01-C Does not understand a command of another kind of link
        > 05 00 0A 02 02 00 02 00
        < 05 00 01 02 02 00 00 00

        ## L2CAP/LE/REJ/BI-02-C Does not understand a reserved code
        > 05 00 FF 03 00 00
        < 05 00 01 03 02 00 00 00
        > 05 00 00 04 01 00 AA
        < 05 00 01 04 02 00 00 00
        > 05 00 1B 05 02 00 AA BB
        < 05 00 01 05 02 00 00 00

        ## Rejects a frame beyond the signalling MTU with the MTU, unless it is a response
        > 05 00 17 09 14 00 00*20
        < 05 00 01 09 04 00 01 00 17 00
        > 05 00 13 09 14 00 00*20

        ## Does not understand a request of a wrong length, and ignores such a response
        > 05 00 12 05 08 00 18 00 28 00 00 00 2A
        < 05 00 01 05 02 00 00 00
        > 05 00 12 05 07 00 18 00 28 00 00 00 2A
        < 05 00 01 05 02 00 00 00
        > 05 00 12 05 08 00 18 00 28 00 00 00 2A 00 00
        < 05 00 01 05 02 00 00 00
        > 05 00 14 05 00 00
        < 05 00 01 05 02 00 00 00
        > 05 00 01 05 00 00
        > 05 00 01 05 02 00
        > 05 00 07 05 01 00 40
        > 05 00 13 05 00 00
        > 05 00 15 05 00 00
        > 05 00 18 05 00 00

        ## Ignores a frame without a header or with identifier 0
        > 05 00
        > 05 00 12
        > 05 00 12 05
        > 05 00 12 05 08
        > 05 00 12 00 08 00 18 00 28 00 00 00 2A 00
        > 05 00 FF 00 00 00

        ## Refuses a channel without a listener, and an enhanced one
        > 05 00 14 07 0A 00 80 00 40 00 00 02 F7 00 0A 00
        < 05 00 15 07 0A 00 00 00 00 00 00 00 00 00 02 00
        > 05 00 17 08 0C 00 27 00 40 00 40 00 01 00 40 00 41 00
        < 05 00 18 08 0C 00 00 00 00 00 00 00 02 00 00 00 00 00
        > 05 00 19 09 06 00 80 00 40 00 40 00
        < 05 00 1A 09 02 00 03 00

        ## Rejects or ignores a command about an unknown channel
        > 05 00 06 07 04 00 40 00 41 00
        < 05 00 01 07 06 00 02 00 40 00 41 00
        > 05 00 16 08 04 00 40 00 01 00
        > 05 00 07 08 04 00 40 00 41 00
        > 05 00 15 08 0A 00 44 00 00 02 F7 00 0A 00 00 00
        """
    )
}
