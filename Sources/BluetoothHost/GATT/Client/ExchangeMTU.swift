// Exchange MTU (Vol 3, Part G, 4.3.1). The host does it by itself on each link that it opened.

import BluetoothTypes
import NIOCore

/// Agrees on the ATT MTU of a link; the result is the MTU in octets. The bearer has taken it from the response.
struct ExchangeMTU: GATTRequestProcedure {
    /// The longest PDU that this client takes; `nil` if the MTU was agreed on before.
    let preferred: Int?

    mutating func begin(mtu: Int) -> GATTStep<Int> {
        guard let preferred = self.preferred else { return .succeed(mtu) }
        return .send(ATTExchangeMTURequest(clientMTU: UInt16(preferred)))
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<Int> {
        guard try ATTExchangeMTUResponse(parsing: response).serverMTU >= ATT.defaultMTU else {
            throw MalformedBytes(.invalid, "Server Rx MTU")
        }
        return .succeed(mtu)
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<Int> {
        // A server that does not know the request leaves the MTU as it is.
        error.error == .requestNotSupported ? .succeed(mtu) : .fail(error)
    }
}
