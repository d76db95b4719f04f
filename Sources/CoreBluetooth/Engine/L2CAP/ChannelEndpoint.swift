// The event loop's endpoint of one channel: it carries octets between the host's channel and the pipe of the app's
// streams. `ChannelPipe.State` decides what the streams may do and when the channel is closed, the host's
// `CreditBasedChannel` how it closes after the last octet.

import BluetoothHost
import NIOCore

/// The event loop's endpoint of a channel.
final class ChannelEndpoint {
    /// The owner of a channel.
    enum Owner {
        case central(PeripheralConnection)
        case peripheral(PeripheralSession, LinkID)
    }

    let id: L2CAPChannelID
    let psm: CBL2CAPPSM
    let owner: Owner
    private let pipe: ChannelPipe
    private let host: LEHost
    /// Octets of the host for the pipe, gathered in a turn.
    private var inbox: [ByteBuffer] = []
    /// Octets of the pipe that the host has no capacity for yet.
    private var outbox: CircularBuffer<ByteBuffer> = []

    init(id: L2CAPChannelID, psm: CBL2CAPPSM, owner: Owner, pipe: ChannelPipe, host: LEHost) {
        self.id = id
        self.psm = psm
        self.owner = owner
        self.pipe = pipe
        self.host = host
    }

    /// Carries out what the app has asked for.
    func work() {
        let work = self.pipe.withState { $0.takeWork() }
        if work.consumed > 0 { self.host.consume(work.consumed, of: self.id) }
        self.outbox.append(contentsOf: work.written)
        guard work.isClosing else { return self.send() }
        self.host.closeChannel(self.id, after: Array(self.outbox))
        self.outbox.removeAll()
    }

    /// Hands octets to the host while it has capacity for them.
    func send() {
        var count = 0
        while let octets = self.outbox.first {
            let taken = self.host.write(octets, on: self.id)
            count += taken
            guard taken == octets.readableBytes else {
                self.outbox[self.outbox.startIndex].moveReaderIndex(forwardBy: taken)
                break
            }
            self.outbox.removeFirst()
        }
        if count > 0 { self.pipe.change { $0.sent(count, &$1) } }
    }

    /// Takes octets of the host; returns whether they are the first of the turn.
    func receive(_ octets: ByteBuffer) -> Bool {
        self.inbox.append(octets)
        return self.inbox.count == 1
    }

    /// Hands the turn's octets to the pipe.
    func flush() {
        self.pipe.change { $0.receive(self.inbox, &$1) }
        self.inbox.removeAll(keepingCapacity: true)
    }

    /// The adapter ends the channel.
    func close() {
        self.pipe.change { $0.end(&$1) }
        self.work()
    }

    /// The host has ended the channel.
    func closed() {
        self.outbox.removeAll()
        guard self.pipe.change({ $0.detach(&$1) }) else { return }
        switch self.owner {
        case .central(let connection): connection.report(.unknownChannelEnded(connection.id, self.psm))
        case .peripheral(let session, let link): session.report(.unknownChannelEnded(link, self.psm))
        }
    }
}
