import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ATT PDUs: simulation")
struct ATTPDUSimulationTests {
    typealias Reader = @Sendable (ByteBuffer) -> Void

    /// Reads parameters as a kind of PDU; a decoded PDU encodes to the same octets, and its list is complete.
    private static func reader<PDU: ATTPDU>(
        _: PDU.Type,
        _ isWhole: @escaping @Sendable (PDU) -> Bool = { _ in true }
    ) -> Reader {
        { parameters in
            var octets = ByteBuffer(integer: PDU.opcode.rawValue)
            octets.writeImmutableBuffer(parameters)
            guard let pdu = try? PDU(parsing: octets) else { return }
            #expect(pdu.encoded() == octets)
            #expect(pdu.parameterLength == parameters.readableBytes)
            #expect(isWhole(pdu))
        }
    }

    private static let readers: [Reader] = [
        reader(ATTErrorResponse.self), reader(ATTExchangeMTURequest.self), reader(ATTExchangeMTUResponse.self),
        reader(ATTFindInformationRequest.self), reader(ATTFindByTypeValueRequest.self),
        reader(ATTFindInformationResponse.self) { Array($0.list).count == $0.list.count },
        reader(ATTFindByTypeValueResponse.self) { Array($0.list).count == $0.list.count },
        reader(ATTReadByTypeRequest.self), reader(ATTReadRequest.self), reader(ATTReadResponse.self),
        reader(ATTReadByTypeResponse.self) { Array($0.list).count == $0.list.count },
        reader(ATTReadBlobRequest.self), reader(ATTReadBlobResponse.self),
        reader(ATTReadMultipleRequest.self) { Array($0.handles).count == $0.handles.count },
        reader(ATTReadMultipleResponse.self), reader(ATTReadByGroupTypeRequest.self),
        reader(ATTReadByGroupTypeResponse.self) { Array($0.list).count == $0.list.count },
        reader(ATTReadMultipleVariableRequest.self) { Array($0.handles).count == $0.handles.count },
        reader(ATTReadMultipleVariableResponse.self) { $0.list.allSatisfy { $0.value.readableBytes <= $0.length } },
        reader(ATTWriteRequest.self), reader(ATTWriteResponse.self), reader(ATTWriteCommand.self),
        reader(ATTSignedWriteCommand.self), reader(ATTPrepareWriteRequest.self),
        reader(ATTPrepareWriteResponse.self), reader(ATTExecuteWriteRequest.self),
        reader(ATTExecuteWriteResponse.self), reader(ATTHandleValueNotification.self),
        reader(ATTHandleValueIndication.self), reader(ATTHandleValueConfirmation.self),
        reader(ATTMultipleHandleValueNotification.self) { pdu in
            pdu.list.reduce(0) { $0 + 4 + $1.value.readableBytes } == pdu.list.bytes.readableBytes
        },
    ]

    @Test("reads or rejects any octets, and writes them unchanged", arguments: simulationSeeds(2))
    func randomOctets(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        for _ in 0..<500 {
            // Small numbers are valid lengths, formats and flags.
            let highest = choices.pick([1, 8, 255])
            let octets = ByteBuffer(bytes: (0..<choices.below(42)).map { _ in UInt8(choices.below(highest + 1)) })
            for reader in Self.readers { reader(octets) }
        }
    }
}
