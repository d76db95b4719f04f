// Signed Write Commands (Vol 3, Part F, 3.4.5.4; Vol 3, Part C, 10.4.2): a write that is never answered, whose
// signature authenticates the sender on an unencrypted link. A command is ignored if its signature does not match the
// client's key, its counter was used before, or the value may not be written.
//
// A signature does not replace encryption: if writing requires an encrypted link, so does a signed command.

import BluetoothTypes
import NIOCore

extension GATTServer {
    /// Signed Write Command: executed or ignored.
    mutating func signedWriteCommand(
        _ pdu: ByteBuffer,
        on bearer: inout ATTBearer,
        into actions: inout [ATTBearer.Action]
    ) {
        guard !bearer.server.isOutOfSync, pdu.readableBytes <= bearer.mtu,
            let command = try? ATTSignedWriteCommand(parsing: pdu),
            let position = self.database.index(of: command.handle),
            case .application = self.database.attributes[position].content,
            self.writeError(of: self.database.attributes[position], with: .signedWrite, on: &bearer) == nil,
            bearer.server.signingKey?.accept(
                command.signature,
                of: pdu.prefix(pdu.readableBytes - DataSignature.octetCount)
            ) == true
        else { return }
        actions.append(.signCounterAccepted(command.signature.counter))
        let part = GATTWriteRequest.Part(handle: command.handle, offset: 0, value: command.value)
        actions.append(.write(GATTWriteRequest(id: nil, link: bearer.link, parts: [part])))
    }
}
