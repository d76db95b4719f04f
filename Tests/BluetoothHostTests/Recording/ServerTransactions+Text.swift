// PDUs of a recorded link as text, for tests of what is learnt from them.

import Fixtures
import NIOCore

@testable import BluetoothHost

extension ServerTransactions {
    /// Takes a PDU.
    mutating func receive(
        _ octets: String,
        isFromPeripheral: Bool,
        at time: Int64 = 0,
        into database: inout ObservedDatabase
    ) {
        let pdu = ByteBuffer(hex: octets)
        self.receive(
            pdu,
            ATTOpcode(rawValue: pdu.getInteger(at: pdu.readerIndex) ?? 0),
            isFromPeripheral: isFromPeripheral,
            at: time,
            into: &database
        )
    }

    /// Takes a request of the client and the answer of the server.
    mutating func receive(_ request: String, _ answer: String, into database: inout ObservedDatabase) {
        self.receive(request, isFromPeripheral: false, into: &database)
        self.receive(answer, isFromPeripheral: true, into: &database)
    }
}
