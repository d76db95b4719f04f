// Signed Write Commands (Vol 3, Part F, 3.4.5.4; Vol 3, Part C, 10.4.2): a write that is never answered, whose
// signature proves on a link without encryption who has sent it. What does not hold is ignored: a signature that was
// not made with the client's key, a counter that was used before, a value that may not be written.
//
// The signature stands for no encryption: where writing demands an encrypted link, a signed command needs one, too.

import BluetoothTypes
import NIOCore

extension GATTServer {
    /// Signed Write Command: done or ignored.
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
