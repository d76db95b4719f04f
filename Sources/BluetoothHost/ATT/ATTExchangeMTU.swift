// MTU exchange (Vol 3, Part F, 3.4.2).

/// `ATT_EXCHANGE_MTU_REQ` (3.4.2.1).
struct ATTExchangeMTURequest {
    /// The largest PDU that the client accepts, in octets.
    var clientMTU: UInt16
}

extension ATTExchangeMTURequest: ATTPDU {
    static var opcode: ATTOpcode { .exchangeMTURequest }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.clientMTU = try coder.field("Client Rx MTU", \.clientMTU)
    }
}

/// `ATT_EXCHANGE_MTU_RSP` (3.4.2.2).
struct ATTExchangeMTUResponse {
    /// The largest PDU that the server accepts, in octets.
    var serverMTU: UInt16
}

extension ATTExchangeMTUResponse: ATTPDU {
    static var opcode: ATTOpcode { .exchangeMTUResponse }

    init<Coder: ATTParameterCoder<Self>>(_ coder: inout Coder) throws(Coder.Failure) {
        self.serverMTU = try coder.field("Server Rx MTU", \.serverMTU)
    }
}
