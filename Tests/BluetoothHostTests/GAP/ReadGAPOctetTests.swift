// What a server says of itself in one octet, or does not say (Vol 3, Part C, 12).

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Reading an octet of the GAP service")
struct ReadGAPOctetTests {
    /// What a procedure that was begun makes of an answer.
    private func result(of answer: (inout ReadGAPOctet) throws -> GATTStep<UInt8?>) rethrows -> String {
        var procedure = ReadGAPOctet(GATTAttributeType.centralAddressResolution)
        _ = procedure.begin(mtu: 23)
        switch try answer(&procedure) {
        case .request: return "asks"
        case .finish(.success(let value)): return value.map { "\($0)" } ?? "nothing"
        case .finish(.failure): return "fails"
        }
    }

    @Test(
        "The value is one octet; another length is none that is defined",
        arguments: [("09 03 10 00 01", "1"), ("09 03 10 00 00", "0"), ("09 02 10 00", "nothing")]
            + [("09 04 10 00 01 00", "nothing")]
    )
    func value(response: String, value: String) throws {
        #expect(try self.result { try $0.receive(hex(response), mtu: 23) } == value)
    }

    @Test(
        "A server that does not have or give it says nothing; one whose database has changed is asked another time",
        arguments: [
            (.attributeNotFound, "nothing"), (.insufficientAuthentication, "nothing"), (.databaseOutOfSync, "fails"),
        ] as [(ATTErrorCode, String)]
    )
    func error(code: ATTErrorCode, words: String) {
        let error = ATTErrorResponse(request: .readByTypeRequest, handle: 1, error: code)
        #expect(self.result { $0.receive(error, mtu: 23) } == words)
    }
}
