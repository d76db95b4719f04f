import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LE signalling commands")
struct LESignallingCommandTests {
    private static func read(_ text: String) throws -> LESignallingCommand {
        var bytes = hex(text)
        let header = try LESignallingHeader(parsing: &bytes)
        #expect(header.identifier == 7)
        #expect(header.dataLength == bytes.readableBytes)
        return try LESignallingCommand(header.code, parameters: &bytes)
    }

    private static let parameters = CreditBasedParameters(mtu: 512, mps: 247, initialCredits: 10)
    private static let enhanced = CreditBasedParameters(mtu: 64, mps: 64, initialCredits: 1)
    private static let connectionParameters = LEConnectionParameterRequest(
        minimumInterval: ConnectionInterval(rawValue: 6),
        maximumInterval: ConnectionInterval(rawValue: 3200),
        latency: 499,
        supervisionTimeout: SupervisionTimeout(rawValue: 42)
    )

    private static let commands: [(LESignallingCommand, String)] = [
        (.commandReject(.notUnderstood), "01 07 02 00 00 00"),
        (.commandReject(.signallingMTUExceeded(mtu: 23)), "01 07 04 00 01 00 17 00"),
        (.commandReject(.invalidCID(local: 0x40, remote: 0x41)), "01 07 06 00 02 00 40 00 41 00"),
        (.disconnectionRequest(destination: 0x40, source: 0x41), "06 07 04 00 40 00 41 00"),
        (.disconnectionResponse(destination: 0x40, source: 0x41), "07 07 04 00 40 00 41 00"),
        (.connectionParameterUpdateRequest(connectionParameters), "12 07 08 00 06 00 80 0C F3 01 2A 00"),
        (.connectionParameterUpdateResponse(isAccepted: true), "13 07 02 00 00 00"),
        (.connectionParameterUpdateResponse(isAccepted: false), "13 07 02 00 01 00"),
        (
            .leCreditBasedConnectionRequest(.init(spsm: 0x80, source: 0x40, parameters: parameters)),
            "14 07 0A 00 80 00 40 00 00 02 F7 00 0A 00"
        ),
        (
            .leCreditBasedConnectionResponse(.init(destination: 0x44, parameters: parameters)),
            "15 07 0A 00 44 00 00 02 F7 00 0A 00 00 00"
        ),
        (.flowControlCredit(channel: 0x40, credits: 3), "16 07 04 00 40 00 03 00"),
        (
            .creditBasedConnectionRequest(.init(spsm: 0x27, parameters: enhanced, sources: [0x40, 0x41])),
            "17 07 0C 00 27 00 40 00 40 00 01 00 40 00 41 00"
        ),
        (
            .creditBasedConnectionResponse(
                .init(parameters: enhanced, result: .noResources, destinations: [0x40, 0])
            ),
            "18 07 0C 00 40 00 40 00 01 00 04 00 40 00 00 00"
        ),
        (
            .creditBasedReconfigureRequest(.init(mtu: 128, mps: 64, destinations: [0x40])),
            "19 07 06 00 80 00 40 00 40 00"
        ),
        (.creditBasedReconfigureResponse(result: 3), "1A 07 02 00 03 00"),
    ]

    @Test func `Commands are written and read`() throws {
        for (command, text) in Self.commands {
            let written = command.encoded(identifier: 7)
            #expect(hex(written) == text)
            #expect(written.readerIndex == PDUBuffer.headroom)
            #expect(try Self.read(text) == command)
        }
    }

    @Test func `A reason of a later specification is kept with any data`() throws {
        #expect(try Self.read("01 07 05 00 34 12 AA BB CC") == .commandReject(.other(0x1234)))
        let unknown = try Self.read("7F 07 03 00 AA BB CC")
        #expect(unknown == .unknown(LESignallingCode(rawValue: 0x7F)))
    }

    @Test func `Parameters that are too short or too long are rejected`() {
        for (_, text) in Self.commands {
            let full = hex(text)
            let code = LESignallingCode(rawValue: full.getInteger(at: full.readerIndex) ?? 0)
            var data = full
            data.moveReaderIndex(forwardBy: 4)
            for count in 0..<data.readableBytes {
                guard var short = data.getSlice(at: data.readerIndex, length: count) else { continue }
                // A list of channels may end after any complete one.
                if (try? LESignallingCommand(code, parameters: &short)) != nil {
                    #expect(code == .creditBasedConnectionRequest || code == .creditBasedConnectionResponse)
                    #expect(count == data.readableBytes - 2)
                }
            }
            var long = data
            long.writeInteger(UInt8(0))
            #expect(throws: MalformedBytes.self, "\(text)") { _ = try LESignallingCommand(code, parameters: &long) }
        }
        var six = hex("27 00 40 00 40 00 01 00 40 00 41 00 42 00 43 00 44 00 45 00")
        #expect(throws: MalformedBytes.self) {
            _ = try LESignallingCommand(.creditBasedConnectionRequest, parameters: &six)
        }
    }

    @Test(
        "Connection parameters are valid within their ranges, with a timeout longer than twice the longest silence",
        arguments: [
            (6, 6, 0, 10, true), (6, 3200, 0, 3200, true), (5, 6, 0, 10, false), (6, 3201, 0, 3200, false),
            (8, 7, 0, 10, false), (6, 6, 500, 3200, false), (6, 6, 499, 3200, true), (6, 6, 0, 9, false),
            (6, 6, 0, 3201, false),
            // Twice 40 intervals of 1.25 ms are 100 ms.
            (6, 40, 0, 10, false), (6, 40, 0, 11, true), (6, 40, 1, 20, false), (6, 40, 1, 21, true),
        ] as [(UInt16, UInt16, UInt16, UInt16, Bool)]
    )
    func connectionParameters(minimum: UInt16, maximum: UInt16, latency: UInt16, timeout: UInt16, isValid: Bool) {
        let request = LEConnectionParameterRequest(
            minimumInterval: ConnectionInterval(rawValue: minimum),
            maximumInterval: ConnectionInterval(rawValue: maximum),
            latency: latency,
            supervisionTimeout: SupervisionTimeout(rawValue: timeout)
        )
        #expect(request.isValid == isValid)
    }
}

extension CID: ExpressibleByIntegerLiteral {
    /// A channel as a literal.
    init(integerLiteral value: UInt16) { self.init(rawValue: value) }
}
