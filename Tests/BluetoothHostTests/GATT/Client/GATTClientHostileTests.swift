// Servers that want to keep a client busy for ever.

import BluetoothTypes
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: hostile servers")
struct GATTClientHostileTests {
    /// A procedure, the answer to each of its requests by the first handle that it asks for, and the number of answers
    /// after which the procedure has succeeded; `nil` if it is to fail.
    struct Server: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let procedure: ClientProcedure
        let answer: @Sendable (ATTOpcode, UInt16) -> ByteBuffer
        let answers: Int
        var succeeds = true
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
        Server(
            testDescription: "has services of 16 handles everywhere",
            procedure: .discoverServices(uuids: nil),
            answer: { Self.pdu([0x11, 0x06], $1, $1 | 0x0F, 0x1800) },
            answers: 4_096
        ),
        Server(
            testDescription: "finds services of 16 handles everywhere",
            procedure: .discoverServices(uuids: [0x1800]),
            answer: { Self.pdu([0x07], $1, $1 | 0x0F) },
            answers: 4_096
        ),
        Server(
            testDescription: "has a characteristic at every second handle",
            procedure: .discoverCharacteristics(0xF001...0xFFFE),
            answer: {
                // The handle that is asked for is the value of the last declaration, from the second request on.
                let handle = $1 / 2 * 2 + 1
                return handle > 0xFFFD ? hex("01 08 FE FF 0A") : Self.declaration(at: handle)
            },
            answers: 0x07FF + 1
        ),
        Server(
            testDescription: "declares characteristics at values",
            procedure: .discoverCharacteristics(0x0001...0x7FFF),
            answer: { Self.declaration(at: $1) },
            answers: 2,
            succeeds: false
        ),
        Server(
            testDescription: "has a descriptor at every handle",
            procedure: .discoverDescriptors(GATTRemoteCharacteristic(0x2A00, .read, 0xF001, 0xF002, 0xFFFF)),
            answer: { Self.pdu([0x05, 0x01], $1, 0x2901) },
            answers: 0x0FFD
        ),
        Server(
            testDescription: "includes a service at every handle",
            procedure: .discoverIncludedServices(0x0001...0x0400),
            answer: {
                switch $0 {
                case .readByTypeRequest: Self.pdu([0x09, 0x06], $1, 0x0001, 0x0002)
                case .readRequest: hex("0B" + hex(octets(16)))
                default: Self.pdu([0x05, 0x01], $1, 0x2800)
                }
            },
            answers: 3 * 0x0400
        ),
        Server(
            testDescription: "has a value without an end",
            procedure: .read(3),
            answer: { opcode, _ in hex((opcode == .readRequest ? "0B" : "0D") + hex(octets(22))) },
            answers: 24
        ),
    ]

    @Test("ends the procedure after a finite number of answers", arguments: Self.servers)
    func exhaust(server: Server) {
        var script = ClientScript()
        script.start(server.procedure)
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
