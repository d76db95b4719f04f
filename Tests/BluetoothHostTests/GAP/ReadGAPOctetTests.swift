// Characteristics of the GAP service with one octet (Vol 3, Part C, 12).

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Reading an octet of the GAP service")
struct ReadGAPOctetTests {
    /// The result of a procedure after an answer.
    private func result(of answer: (inout ReadGAPOctet) throws -> GATTStep<UInt8?>) rethrows -> String {
        var procedure = ReadGAPOctet(GATTAttributeType.centralAddressResolution)
        _ = procedure.begin(mtu: 23)
        switch try answer(&procedure) {
        case .request: return "asks"
        case .finish(.success(let value)): return value.map { "\($0)" } ?? "nothing"
        case .finish(.failure): return "fails"
        }
    }

    @Test("reads by type in all handles", arguments: [(0x2AA6, "A6 2A"), (0x2AC9, "C9 2A")] as [(UInt16, String)])
    func request(type: UInt16, octets: String) {
        var procedure = ReadGAPOctet(type)
        guard case .request(let pdu) = procedure.begin(mtu: 23) else {
            Issue.record("no request")
            return
        }
        #expect(hex(pdu) == "08 01 00 FF FF \(octets)")
    }

    @Test(
        "takes a value of one octet, and nothing from another length",
        arguments: [("09 03 10 00 01", "1"), ("09 03 10 00 00", "0"), ("09 02 10 00", "nothing")]
            + [("09 03 10 00 02", "2"), ("09 04 10 00 01 00", "nothing"), ("09 04 10 00 00 00", "nothing")]
    )
    func value(response: String, value: String) throws {
        #expect(try self.result { try $0.receive(hex(response), mtu: 23) } == value)
    }

    @Test(
        "takes nothing from a server that does not have or give it, and fails if the database is out of sync",
        arguments: [
            (.attributeNotFound, "nothing"), (.insufficientAuthentication, "nothing"), (.databaseOutOfSync, "fails"),
        ] as [(ATTErrorCode, String)]
    )
    func error(code: ATTErrorCode, words: String) {
        let error = ATTErrorResponse(request: .readByTypeRequest, handle: 1, error: code)
        #expect(self.result { $0.receive(error, mtu: 23) } == words)
    }
}
