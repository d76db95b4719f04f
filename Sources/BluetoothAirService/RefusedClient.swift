// A host that connected when the server had its maximum of clients. Its first command is rejected with Limited
// Resources, which any host understands, and the connection is closed.
//
//     waiting ──a command──▶ ended, after Command Complete with Limited Resources (0x0D)
//        └──the host closes──▶ ended
//
// waiting: No command was received. The connection has no controller on the air.
// ended: The connection is closed after the answer was sent.
//
// A host that sends no command keeps its connection; the server has at most `H4Server.Limits.refusals` of them, and
// closes others without an answer. Packets other than commands are ignored. No timers.

import BluetoothHCI
import BluetoothTransport
import NIOCore

/// The connection to a host that gets no controller.
final class RefusedClient: HCIChannelReceiver {
    private let host: H4Channel
    private let ended: (RefusedClient) -> Void

    /// Waits for the first command of `host`; `ended` is called when the connection is over.
    init(host: H4Channel, ended: @escaping (RefusedClient) -> Void) {
        self.host = host
        self.ended = ended
    }

    func start() { self.host.start(receiver: self) }

    func close() { self.host.close() }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        var payload = packet.payload
        guard packet.kind == .command, let command = try? HCICommandPacket(parsing: &payload) else { return }
        // An answer whose status is an error has no other return parameters (Vol 4, Part E, 4.4).
        let status = ByteBuffer(integer: HCIErrorCode.connectionRejectedLimitedResources.rawValue)
        self.host.send(CommandComplete(opcode: command.opcode, returnParameters: status).packet())
        self.host.close()
        self.ended(self)
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) {}

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) { self.ended(self) }
}
