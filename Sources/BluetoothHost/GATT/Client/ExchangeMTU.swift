// Exchange MTU (Vol 3, Part G, 4.3.1). The host does it by itself on each link that it opened.

import BluetoothTypes
import NIOCore

/// Agrees on the ATT MTU of a link; the result is the MTU in octets.
struct ExchangeMTU: BearerFindingProcedure {
    private let preferred: Int
    private var agreed: Int?

    /// Creates the procedure.
    /// - Parameter preferred: The longest PDU that this client takes, 23 to 517 octets.
    init(preferred: Int) { self.preferred = min(max(preferred, ATT.defaultMTU), ATT.maximumMTU) }

    var finding: BearerFinding? { self.agreed.map(BearerFinding.mtu) }

    mutating func begin(mtu: Int) -> GATTStep<Int> {
        .send(ATTExchangeMTURequest(clientMTU: UInt16(self.preferred)))
    }

    mutating func receive(_ response: ByteBuffer, mtu: Int) throws(MalformedBytes) -> GATTStep<Int> {
        let serverMTU = Int(try ATTExchangeMTUResponse(parsing: response).serverMTU)
        guard serverMTU >= ATT.defaultMTU else { throw MalformedBytes(.invalid, "Server Rx MTU") }
        let agreed = min(self.preferred, serverMTU)
        self.agreed = agreed
        return .succeed(agreed)
    }

    mutating func receive(_ error: ATTErrorResponse, mtu: Int) -> GATTStep<Int> {
        // A server that does not know the request leaves the MTU as it is.
        error.error == .requestNotSupported ? .succeed(mtu) : .fail(error)
    }
}
