// Servers whose answers break the rules, and servers that try to keep a client busy forever.

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: hostile servers")
struct GATTClientHostileTests {
    private static let included = "> 08 20 00 21 00 02 28 \n < 09 06 21 00 50 00 58 00 \n > 0A 50 00 \n"
    private static let service = "> 06 01 00 FF FF 00 28 01 18 \n < 07 06 00 09 00 \n"
    private static let characteristics =
        Self.service + "> 08 06 00 09 00 03 28 \n < 09 07 07 00 20 08 00 05 2A \n"
        + "> 08 08 00 09 00 03 28 \n < 01 08 08 00 0A \n"
    private static let longWrite = "> 16 07 00 00 00 00..11 \n"

    /// A procedure, the lines before the answer, answers to refuse, and the lines behind them.
    private static let malformedAnswers: [(procedure: String, lines: String, answers: [String], rest: String)] = [
        (
            "services", "> 10 01 00 FF FF 00 28",
            [
                "11", "11 06", "11 00 01 00 05 00 00 18", "11 06 01 00 05 00 00", "11 05 01 00 05 00 00",
                "11 08 01 00 05 00 00 18 00 00", "11 06 00 00 05 00 00 18", "11 06 05 00 04 00 00 18",
                "11 06 06 00 09 00 01 18 01 00 05 00 00 18", "11 06 01 00 05 00 00 18 05 00 09 00 01 18",
                "11 06 01 00 FF FF 00 18 02 00 03 00 01 18", "13", "07 01 00 05 00", "01 08 01 00 0A", "01 10 01 00",
            ], ""
        ),
        (
            "services 180F", "> 06 01 00 FF FF 00 28 0F 18",
            [
                "07", "07 01 00 05", "07 01 00 05 00 06", "07 00 00 05 00", "07 05 00 04 00",
                "07 05 00 09 00 09 00 0A 00",
            ], ""
        ),
        (
            "included 0020 0040", "> 08 20 00 40 00 02 28",
            [
                "09 07 21 00 01 00 05 00 00", "09 08 1F 00 01 00 05 00 00 18", "09 08 41 00 01 00 05 00 00 18",
                "09 08 21 00 00 00 05 00 00 18", "09 08 21 00 05 00 04 00 00 18",
                "09 06 22 00 01 00 05 00 22 00 01 00 05 00", "09 08 21 00 01 00",
            ], ""
        ), ("included 0020 0021", Self.included, ["0B AB 89", "0B", "0B 00*17"], ""),
        (
            "included 0020 0021", Self.included + "< 0B 00*16 \n > 04 50 00 50 00",
            ["05 01 51 00 01 28", "05 01 50 00 01 28 51 00 01 28", "05 03 50 00 01 28"], ""
        ),
        (
            "characteristics 0010 0030", "> 08 10 00 30 00 03 28",
            [
                "09", "09 07", "09 06 11 00 02 12 00 00", "09 08 11 00 02 12 00 00 2A 00", "09 02 11 00",
                "09 00 11 00 02 12 00 00 2A", "09 07 11 00 02 12 00 00",
                "09 07 0F 00 02 12 00 00 2A", "09 07 11 00 02 11 00 00 2A", "09 07 11 00 02 10 00 00 2A",
                "09 07 11 00 02 31 00 00 2A", "09 07 31 00 02 32 00 00 2A", "09 07 00 00 02 12 00 00 2A",
                // Not growing, and a value behind the next declaration.
                "09 07 13 00 02 14 00 00 2A 11 00 02 12 00 01 2A", "09 07 11 00 02 12 00 00 2A 11 00 02 12 00 00 2A",
                "09 07 11 00 02 14 00 00 2A 13 00 02 15 00 01 2A", "0B 00", "01 0A 10 00 0A",
            ], ""
        ),
        (
            "descriptors 0012 0018", "> 04 13 00 18 00",
            [
                "05", "05 01", "05 00 13 00 02 29", "05 03 13 00 02 29", "05 01 13 00 02", "05 02 13 00 02 29",
                "05 01 12 00 02 29", "05 01 19 00 02 29", "05 01 00 00 02 29", "05 01 14 00 02 29 13 00 01 29",
                "05 01 13 00 02 29 13 00 02 29", "09 04 13 00 02 29",
            ], ""
        ),
        (
            // Longer than the MTU, another opcode, another request's error, an error cut short.
            "read 0003", "> 0A 03 00",
            ["0B 00*23", "0D 00", "13", "01 0C 03 00 01", "01 0A 03 00", "01 0A 03 00 01 00", "03 17 00"], ""
        ),
        (
            "readByType 2A0D 0020", "> 08 01 00 20 00 0D 2A",
            [
                "09", "09 02", "09 01 14", "09 05 14 00 AA BB", "09 00 14 00", "09 02 00 00", "09 02 21 00",
                "09 02 14 00 14 00", "09 02 15 00 14 00",
            ], ""
        ),
        (
            "readVariable 0003 0007 0009", "> 20 03 00 07 00 09 00",
            ["21", "21 05", "21 05 00 AA", "21 00 00 00 00 00 00 00 00", "21 00 00 00 00 00 00 AA AA"], ""
        ), ("readDeviceName", "> 08 01 00 FF FF 00 2A", ["09 02"], ""),
        (
            "configureCaching", "> 06 01 00 FF FF 00 28 01 18", ["07 06 00", "07 00 00 0D 00", "07 0D 00 06 00"], ""
        ),
        (
            "configureCaching", Self.service + "> 08 06 00 09 00 03 28", ["09 07 05 00 20 08 00 05 2A"], ""
        ),
        (
            "configureCaching", Self.characteristics + "> 04 09 00 09 00", ["05 01 08 00 02 29", "05 01 0A 00 02 29"],
            ""
        ), ("resume 0008 0009 000B", "> 12 09 00 02 00", ["0B", "13 00"], ""),
        ("resume 0008 - 000B", "> 12 0B 00 05", ["13 00"], ""),
        ("write 0007 01", "> 12 07 00 01", ["13 00", "0B", "19", "17 07 00 00 00 01", "01 18 07 00 01", "01 12"], ""),
        // It is unknown what the server has prepared, so everything is cancelled.
        (
            "write 0007 00..14", Self.longWrite, ["17", "17 07 00 00", "13", "01 12 07 00 01"], "> 18 00 \n < 19"
        ),
        (
            "write 0007 00..14",
            Self.longWrite + "< 17 07 00 00 00 00..11 \n > 16 07 00 12 00 12..14 \n < 17 07 00 12 00 12..14 \n > 18 01",
            ["19 00", "13", "01 16 07 00 01"], ""
        ),
    ]

    @Test("refuses an answer that breaks the rules", arguments: Self.malformedAnswers)
    func malformed(procedure: String, lines: String, answers: [String], rest: String) {
        for answer in answers {
            var exchange = ClientExchange()
            exchange.run("\(procedure)\n\(lines)\n< \(answer)\n\(rest)\n= malformed", sourceLocation: #_sourceLocation)
        }
    }

    /// A procedure, the number of answers after which it ends, and the answer to each of its requests by the first
    /// handle that it asks for.
    struct Server: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let procedure: String
        let answers: Int
        var succeeds = true
        let answer: @Sendable (ATTOpcode, UInt16) -> ByteBuffer
    }

    private static func pdu(_ octets: [UInt8], _ handles: UInt16...) -> ByteBuffer {
        var bytes = ByteBuffer(bytes: octets)
        for handle in handles { bytes.writeLittleEndian(handle) }
        return bytes
    }

    /// A characteristic declaration at `handle`, the value behind it.
    private static func declaration(at handle: UInt16) -> ByteBuffer {
        var bytes = self.pdu([0x09, 0x07], handle)
        bytes.writeInteger(UInt8(2))
        bytes.writeMultipleIntegers(handle + 1, UInt16(0x2A00), endianness: .little)
        return bytes
    }

    private static let servers = [
        Server(testDescription: "has services of 16 handles everywhere", procedure: "services", answers: 4_096) {
            Self.pdu([0x11, 0x06], $1, $1 | 0x0F, 0x1800)
        },
        Server(testDescription: "finds services of 16 handles everywhere", procedure: "services 1800", answers: 4_096) {
            Self.pdu([0x07], $1, $1 | 0x0F)
        },
        Server(
            testDescription: "has a characteristic at every second handle",
            procedure: "characteristics F001 FFFE",
            answers: 0x07FF + 1
        ) {
            // The handle that is asked for is the value of the last declaration, from the second request on.
            let handle = $1 / 2 * 2 + 1
            return handle > 0xFFFD ? hex("01 08 FE FF 0A") : Self.declaration(at: handle)
        },
        Server(
            testDescription: "declares characteristics at values",
            procedure: "characteristics 0001 7FFF",
            answers: 2,
            succeeds: false
        ) { Self.declaration(at: $1) },
        Server(
            testDescription: "has a descriptor at every handle",
            procedure: "descriptors F002 FFFF",
            answers: 0x0FFD
        ) { Self.pdu([0x05, 0x01], $1, 0x2901) },
        Server(
            testDescription: "includes a service at every handle",
            procedure: "included 0001 0400",
            answers: 3 * 0x0400
        ) {
            switch $0 {
            case .readByTypeRequest: Self.pdu([0x09, 0x06], $1, 0x0001, 0x0002)
            case .readRequest: hex("0B" + hex(octets(16)))
            default: Self.pdu([0x05, 0x01], $1, 0x2800)
            }
        },
        Server(testDescription: "has a value without an end", procedure: "read 0003", answers: 24) { opcode, _ in
            hex((opcode == .readRequest ? "0B" : "0D") + hex(octets(22)))
        },
    ]

    @Test("ends the procedure after a finite number of answers", arguments: Self.servers)
    func exhaust(server: Server) throws {
        var script = ClientScript()
        script.start(try #require(ClientProcedure(server.procedure.split(separator: " ").map(String.init))))
        var count = 0
        while count < 400_000, let request = script.takeSent().last, let opcode = ATT.opcode(of: request) {
            let handle: UInt16 = request.getInteger(at: request.readerIndex + 1, endianness: .little) ?? 0
            script.receive(server.answer(opcode, handle))
            count += 1
        }
        #expect(count == server.answers)
        guard case .complete(_, let outcome)? = script.takeReported().first else {
            Issue.record("no end")
            return
        }
        switch outcome {
        case .success: #expect(server.succeeds)
        case .failure(let error): #expect(!server.succeeds && error == .malformedResponse)
        }
    }
}
