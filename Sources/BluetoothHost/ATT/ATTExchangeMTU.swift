// MTU exchange (Vol 3, Part F, 3.4.2).

import BluetoothTypes
import NIOCore

/// `ATT_EXCHANGE_MTU_REQ` (3.4.2.1).
struct ATTExchangeMTURequest: ATTPDU {
    static var opcode: ATTOpcode { .exchangeMTURequest }

    /// The largest PDU that the client takes, in octets.
    var clientMTU: UInt16

    init(clientMTU: UInt16) { self.clientMTU = clientMTU }

    var parameterLength: Int { 2 }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.clientMTU = try parameters.readLittleEndian("Client Rx MTU")
    }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeLittleEndian(self.clientMTU) }
}

/// `ATT_EXCHANGE_MTU_RSP` (3.4.2.2).
struct ATTExchangeMTUResponse: ATTPDU {
    static var opcode: ATTOpcode { .exchangeMTUResponse }

    /// The largest PDU that the server takes, in octets.
    var serverMTU: UInt16

    init(serverMTU: UInt16) { self.serverMTU = serverMTU }

    var parameterLength: Int { 2 }

    init(parameters: inout ByteBuffer) throws(MalformedBytes) {
        self.serverMTU = try parameters.readLittleEndian("Server Rx MTU")
    }

    func encodeParameters(into bytes: inout ByteBuffer) { bytes.writeLittleEndian(self.serverMTU) }
}
