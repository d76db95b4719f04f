// Servers that want to keep a client busy for ever, and servers that answer with anything at all.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT client: hostile servers")
struct GATTClientHostileTests {
    private static let characteristic = GATTRemoteCharacteristic(
        uuid: 0x2A00,
        properties: .read,
        declarationHandle: 0x0001,
        valueHandle: 0x0002,
        endHandle: 0xFFFF
    )

    /// Answers every request with `answer` until the procedure ends; gives the number of answers.
    private func exhaust(
        _ procedure: ClientProcedure,
        answer: (ByteBuffer) -> ByteBuffer
    ) -> (count: Int, outcome: ClientScript.Outcome?) {
        var script = ClientScript()
        let id = script.start(procedure)
        var count = 0
        while count < 400_000 {
            for case .complete(id, let outcome) in script.takeReported() { return (count, outcome) }
            guard let request = script.takeSent().last else { break }
            script.receive(answer(request))
            count += 1
        }
        return (count, nil)
    }

    /// The first handle of a request that asks for a range.
    private func start(_ request: ByteBuffer) -> UInt16 {
        request.getInteger(at: request.readerIndex + 1, endianness: .little) ?? 0
    }

    private func pdu(_ octets: [UInt8], _ handles: UInt16...) -> ByteBuffer {
        var bytes = ByteBuffer(bytes: octets)
        for handle in handles { bytes.writeLittleEndian(handle) }
        return bytes
    }

    @Test func `A server that has a service at every handle is through in the end`() {
        let (count, outcome) = self.exhaust(.discoverServices(uuids: nil)) {
            self.pdu([0x11, 0x06], self.start($0), self.start($0), 0x1800)
        }
        #expect(count == 65_535)
        guard case .success(.services(let services)) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(services.count == 65_535)
    }

    @Test func `A server that finds a service at every handle is through in the end`() {
        let (count, outcome) = self.exhaust(.discoverServices(uuids: [0x1800])) {
            self.pdu([0x07], self.start($0), self.start($0))
        }
        #expect(count == 65_535)
        #expect(outcome.map { if case .success = $0 { true } else { false } } == true)
    }

    /// A characteristic declaration at `handle`, the value behind it.
    private func declaration(at handle: UInt16) -> ByteBuffer {
        var bytes = self.pdu([0x09, 0x07], handle)
        bytes.writeInteger(UInt8(2))
        bytes.writeLittleEndian(handle + 1)
        bytes.writeLittleEndian(UInt16(0x2A00))
        return bytes
    }

    @Test func `A server with a characteristic at every second handle is through in the end`() {
        let (count, outcome) = self.exhaust(.discoverCharacteristics(0x0001...0xFFFE, uuids: nil)) { request in
            // The handle that is asked for is the value of the last declaration, from the second request on.
            let handle = self.start(request) / 2 * 2 + 1
            return handle > 0xFFFD ? hex("01 08 FE FF 0A") : self.declaration(at: handle)
        }
        #expect(count == 0x7FFF + 1)
        #expect(outcome.map { if case .success = $0 { true } else { false } } == true)
    }

    @Test func `A server whose declarations lie on values is refused`() {
        let (count, outcome) = self.exhaust(.discoverCharacteristics(0x0001...0x7FFF, uuids: nil)) {
            self.declaration(at: self.start($0))
        }
        #expect(count == 2)
        #expect(outcome == .failure(.malformedResponse))
    }

    @Test func `A server with a descriptor at every handle is through in the end`() {
        let (count, outcome) = self.exhaust(.discoverDescriptors(Self.characteristic)) {
            self.pdu([0x05, 0x01], self.start($0), 0x2901)
        }
        #expect(count == 65_533)
        #expect(outcome.map { if case .success = $0 { true } else { false } } == true)
    }

    @Test func `A server that includes a service at every handle is through in the end`() {
        let (count, outcome) = self.exhaust(.discoverIncludedServices(0x0001...0x0400)) { request in
            switch ATT.opcode(of: request) {
            case .readByTypeRequest?: self.pdu([0x09, 0x06], self.start(request), 0x0001, 0x0002)
            case .readRequest?: hex("0B" + hex(octets(16)))
            default: self.pdu([0x05, 0x01], self.start(request), 0x2800)
            }
        }
        #expect(count == 3 * 0x0400)
        #expect(outcome.map { if case .success = $0 { true } else { false } } == true)
    }

    @Test func `A server whose values never end is refused at 512 octets`() {
        let (count, outcome) = self.exhaust(.read(3)) { request in
            var bytes = ByteBuffer(bytes: [ATT.opcode(of: request) == .readRequest ? 0x0B : 0x0D])
            bytes.writeRepeatingByte(7, count: 22)
            return bytes
        }
        #expect(count == 24)
        #expect(outcome == .failure(.malformedResponse))
    }

    private func procedure(_ generator: inout SeededGenerator) -> ClientProcedure {
        let low = AttributeHandle.random(in: 1...40, using: &generator)
        let range = low...AttributeHandle.random(in: low...80, using: &generator)
        return switch Int.random(in: 0...12, using: &generator) {
        case 0: .exchangeMTU(preferred: 517)
        case 1: .discoverServices(uuids: nil)
        case 2: .discoverServices(uuids: [0x1800, 0x180F])
        case 3: .discoverIncludedServices(range)
        case 4: .discoverCharacteristics(range, uuids: nil)
        case 5: .discoverDescriptors(Self.characteristic)
        case 6: .read(low)
        case 7: .readByType(0x2A00, range)
        case 8: .readMultiple([low, low])
        case 9: .readMultipleVariable([low, low, 9])
        case 10: .write(low, octets(Int.random(in: 0...60, using: &generator)))
        case 11: .writeReliably([.init(handle: low, value: octets(30)), .init(handle: 7, value: octets(3))])
        default: .configureCaching
        }
    }

    /// Something like an answer to `request`.
    private func answer(_ request: ByteBuffer, _ generator: inout SeededGenerator) -> ByteBuffer {
        let opcode = request.getInteger(at: request.readerIndex, as: UInt8.self) ?? 0
        var bytes = ByteBuffer()
        switch Int.random(in: 0...9, using: &generator) {
        case 0:
            // Anything.
            for _ in 0..<Int.random(in: 0...30, using: &generator) {
                bytes.writeInteger(UInt8.random(in: 0...255, using: &generator))
            }
        case 1:
            // An error, mostly for this request.
            bytes.writeInteger(UInt8(0x01))
            bytes.writeInteger(Bool.random(using: &generator) ? opcode : opcode &+ 2)
            bytes.writeLittleEndian(UInt16.random(in: 0...40, using: &generator))
            bytes.writeInteger(Bool.random(using: &generator) ? 0x0A : UInt8.random(in: 0...255, using: &generator))
        case 2:
            // The request itself, as a response.
            bytes.writeImmutableBuffer(request)
            bytes.setInteger(opcode | 1, at: bytes.readerIndex)
        default:
            // The right opcode, a likely length, handles that grow.
            bytes.writeInteger(opcode | 1)
            let length = [1, 2, 4, 6, 7, 8, 20, 21].randomElement(using: &generator) ?? 6
            if Int.random(in: 0...3, using: &generator) > 0 { bytes.writeInteger(UInt8(length)) }
            var handle = request.getInteger(at: request.readerIndex + 1, endianness: .little, as: UInt16.self) ?? 1
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                bytes.writeLittleEndian(handle)
                handle &+= UInt16.random(in: 0...3, using: &generator)
                if length > 2 { bytes.writeLittleEndian(handle) }
                for _ in 0..<max(0, length - 4) { bytes.writeInteger(UInt8.random(in: 0...3, using: &generator)) }
                handle &+= 1
            }
        }
        return bytes
    }

    @Test("Random answers end every procedure once and never trap", arguments: Array(1...8) as [UInt64])
    func randomAnswers(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var succeeded = 0
        for round in 0..<1_500 {
            var script = ClientScript(mtu: Int.random(in: 23...60, using: &generator))
            let started = Int.random(in: 1...4, using: &generator)
            for _ in 1...started { script.start(self.procedure(&generator)) }
            var completed: [UInt64] = []
            var answers = 0
            var last = ByteBuffer()
            while completed.count < started, answers < 200_000 {
                for pdu in script.takeSent() where ATT.opcode(of: pdu) != .handleValueConfirmation { last = pdu }
                for case .complete(let id, let outcome) in script.takeReported() {
                    completed.append(id.rawValue)
                    if case .success = outcome { succeeded += 1 }
                }
                guard completed.count < started else { break }
                let isLate = Int.random(in: 0...5_000, using: &generator) == 0
                script.advance(.milliseconds(1) + (isLate ? .seconds(31) : .zero))
                script.receive(self.answer(last, &generator))
                answers += 1
            }
            #expect(completed.sorted() == Array(1...UInt64(started)), "seed \(seed), round \(round)")
        }
        #expect(succeeded > 0)
    }
}
