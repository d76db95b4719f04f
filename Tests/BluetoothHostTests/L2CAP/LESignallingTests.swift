// The signalling channel as scripts: what comes, what leaves, named by the cases of the qualification suite.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE signalling")
struct LESignallingTests {
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

    @Test("L2CAP/LE/CPU/BV-01-C The peripheral asks and is accepted")
    func cpuBV01() {
        var signalling = LESignalling(isCentral: false)
        #expect(self.request(self.wanted, &signalling) == [.send(hex("12 01 08 00 18 00 28 00 00 00 2A 00"))])
        #expect(signalling.nextDeadline == self.start + .seconds(30))
        #expect(
            self.receive("13 01 02 00 00 00", &signalling) == [.parameterRequestEnded(self.wanted, .accepted)]
        )
        #expect(signalling.nextDeadline == nil)
    }

    @Test("L2CAP/LE/CPU/BV-02-C The central accepts and sets the parameters")
    func cpuBV02() {
        var signalling = LESignalling(isCentral: true)
        #expect(
            self.receive("12 05 08 00 18 00 28 00 00 00 2A 00", &signalling)
                == [.send(hex("13 05 02 00 00 00")), .updateConnection(self.wanted)]
        )
    }

    @Test(
        "L2CAP/LE/CPU/BI-01-C The central rejects parameters that are not allowed",
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

    @Test("L2CAP/LE/CPU/BI-02-C The peripheral does not understand the request")
    func cpuBI02() {
        var signalling = LESignalling(isCentral: false)
        #expect(
            self.receive("12 05 08 00 18 00 28 00 00 00 2A 00", &signalling) == [.send(hex("01 05 02 00 00 00"))]
        )
    }

    @Test func `The central may refuse, not understand, or stay silent`() {
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

    @Test func `After the rest a request leaves at once`() {
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

    @Test func `A rest that has ended is over, and one that is told earlier than its end goes on`() {
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
        // It leaves at once, whatever time its user has seen.
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

    @Test func `Identifiers go from 1 to 255 and round, never 0`() {
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

    // MARK: Command reject

    @Test("L2CAP/LE/REJ/BI-01-C A command of another kind of link is not understood", arguments: [true, false])
    func rejBI01(isCentral: Bool) {
        var signalling = LESignalling(isCentral: isCentral)
        // Information Request: extended features.
        #expect(self.receive("0A 02 02 00 02 00", &signalling) == [.send(hex("01 02 02 00 00 00"))])
    }

    @Test("L2CAP/LE/REJ/BI-02-C A reserved code is not understood", arguments: [true, false])
    func rejBI02(isCentral: Bool) {
        var signalling = LESignalling(isCentral: isCentral)
        #expect(self.receive("FF 03 00 00", &signalling) == [.send(hex("01 03 02 00 00 00"))])
        #expect(self.receive("00 04 01 00 AA", &signalling) == [.send(hex("01 04 02 00 00 00"))])
        #expect(self.receive("1B 05 02 00 AA BB", &signalling) == [.send(hex("01 05 02 00 00 00"))])
    }

    @Test func `A frame beyond the signalling MTU is refused with the MTU, unless it is an answer`() {
        var signalling = LESignalling(isCentral: true)
        let tail = String(repeating: "00", count: 20)
        #expect(self.receive("17 09 14 00" + tail, &signalling) == [.send(hex("01 09 04 00 01 00 17 00"))])
        #expect(self.receive("13 09 14 00" + tail, &signalling) == [])
    }

    @Test func `A wrong length is not understood, an answer of a wrong length ignored`() {
        var signalling = LESignalling(isCentral: true)
        let reject = [Action.send(hex("01 05 02 00 00 00"))]
        #expect(self.receive("12 05 08 00 18 00 28 00 00 00 2A", &signalling) == reject)
        #expect(self.receive("12 05 07 00 18 00 28 00 00 00 2A", &signalling) == reject)
        #expect(self.receive("12 05 08 00 18 00 28 00 00 00 2A 00 00", &signalling) == reject)
        #expect(self.receive("14 05 00 00", &signalling) == reject)
        for text in ["01 05 00 00", "01 05 02 00", "07 05 01 00 40", "13 05 00 00", "15 05 00 00", "18 05 00 00"] {
            #expect(self.receive(text, &signalling) == [])
        }
    }

    @Test func `What has no head or identifier 0 is ignored`() {
        var signalling = LESignalling(isCentral: true)
        for text in ["", "12", "12 05", "12 05 08", "12 00 08 00 18 00 28 00 00 00 2A 00", "FF 00 00 00"] {
            #expect(self.receive(text, &signalling) == [])
        }
    }

    // MARK: Credit-based channels are refused

    @Test func `A request for a channel without a listener: SPSM not supported`() {
        var signalling = LESignalling(isCentral: false)
        #expect(
            self.receive("14 07 0A 00 80 00 40 00 00 02 F7 00 0A 00", &signalling)
                == [.send(hex("15 07 0A 00 00 00 00 00 00 00 00 00 02 00"))]
        )
        #expect(
            self.receive("17 08 0C 00 27 00 40 00 40 00 01 00 40 00 41 00", &signalling)
                == [.send(hex("18 08 0C 00 00 00 00 00 00 00 02 00 00 00 00 00"))]
        )
        #expect(
            self.receive("19 09 06 00 80 00 40 00 40 00", &signalling) == [.send(hex("1A 09 02 00 03 00"))]
        )
    }

    @Test func `A channel that is not there cannot be closed or fed`() {
        var signalling = LESignalling(isCentral: false)
        #expect(
            self.receive("06 07 04 00 40 00 41 00", &signalling) == [.send(hex("01 07 06 00 02 00 40 00 41 00"))]
        )
        #expect(self.receive("16 08 04 00 40 00 01 00", &signalling) == [])
        #expect(self.receive("07 08 04 00 40 00 41 00", &signalling) == [])
        #expect(self.receive("15 08 0A 00 44 00 00 02 F7 00 0A 00 00 00", &signalling) == [])
    }

    @Test("Random frames get at most one answer and never trap", arguments: [true, false])
    func randomFrames(isCentral: Bool) {
        var generator = SeededGenerator(seed: isCentral ? 11 : 12)
        var signalling = LESignalling(isCentral: isCentral)
        for round in 0..<30_000 {
            let time = TimeAmount.seconds(Int64(round))
            var actions: [Action] = []
            if !isCentral && round % 7 == 0 {
                signalling.requestParameters(self.wanted, now: self.start + time, into: &actions)
            }
            signalling.advance(to: self.start + time, into: &actions)
            actions.removeAll()
            let count = Int.random(in: 0...30, using: &generator)
            var bytes = ByteBuffer()
            for _ in 0..<count { bytes.writeInteger(UInt8.random(in: 0...255, using: &generator)) }
            if count >= 4, Bool.random(using: &generator) {
                bytes.setInteger(UInt8.random(in: 0...0x1C, using: &generator), at: 0)
                bytes.setInteger(UInt16(count - 4), at: 2, endianness: .little)
            }
            signalling.receive(bytes, now: self.start + time, into: &actions)
            let sent = actions.filter { if case .send = $0 { true } else { false } }
            #expect(sent.count <= 1)
            if case .send(let answer)? = sent.first { #expect(answer.readableBytes <= LESignalling.mtu) }
        }
    }
}
