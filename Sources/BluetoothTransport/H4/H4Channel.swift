// One end of an H4 connection over a Unix socket or TCP (Vol 4, Part A): a host's connection to a controller, or a
// server's connection to a host.

public import BluetoothHCI
public import NIOCore
import NIOPosix

/// An H4 connection over a stream socket.
///
/// At the host's end the receiver gets the controller's packets. At the controller's end it is the other
/// way round: the receiver gets the host's packets, and sent packets go to the host.
public final class H4Channel: HCIChannel {
    /// The number of unsent octets at which the connection ends.
    public static let defaultWriteQueueLimit = 2 * 1024 * 1024

    public let eventLoop: any EventLoop
    private let channel: any Channel
    private let stream: H4Stream
    @exclusivity(unchecked) private(set) weak var receiver: (any HCIChannelReceiver)?
    /// The other end.
    package private(set) lazy var peer = H4Peer(of: self.channel)

    init(channel: any Channel, stream: H4Stream) {
        self.eventLoop = channel.eventLoop
        self.channel = channel
        self.stream = stream
        stream.owner = self
    }

    /// The connection of a channel whose pipeline has an ``H4Stream``.
    convenience init(_ channel: any Channel) throws {
        self.init(channel: channel, stream: try channel.pipeline.syncOperations.handler(type: H4Stream.self))
    }

    deinit {
        // A SwiftNIO channel may be closed from any thread.
        self.channel.close(promise: nil)
    }

    /// Connects to a controller. Call this on `eventLoop`, which is one of SwiftNIO's socket loops.
    ///
    /// - Returns: The connection, on `eventLoop`, or a ``TransportError`` with one line for a person.
    public static func connect(
        to address: StreamAddress,
        on eventLoop: any EventLoop,
        timeout: TimeAmount = .seconds(5)
    ) -> EventLoopFuture<H4Channel> {
        guard let bootstrap = ClientBootstrap(validatingGroup: eventLoop) else {
            let error = TransportError(.unsupported, "\(address) needs an event loop that can open sockets")
            return eventLoop.makeFailedFuture(error)
        }
        if let error = address.lengthError { return eventLoop.makeFailedFuture(error) }
        let prepared =
            bootstrap
            .connectTimeout(timeout)
            .channelOption(.writeBufferWaterMark, value: Self.waterMark)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        H4Stream(receivingFrom: .controller, on: channel.eventLoop)
                    )
                }
            }
        let connected: EventLoopFuture<any Channel> =
            switch address {
            case .unix(let path): prepared.connect(unixDomainSocketPath: path)
            case .tcp(let host, let port):
                prepared
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .channelOption(.socketOption(.so_keepalive), value: 1)
                    .connect(host: host, port: port)
            }
        return connected.assumeIsolated()
            .flatMapThrowing { try H4Channel($0) }
            .flatMapErrorThrowing { error in throw TransportError(connectingTo: address, error) }
            .nonisolated()
    }

    /// Adds H4 to a SwiftNIO channel of plain octets. Call this on its loop.
    ///
    /// - Parameter sender: The other end.
    package static func adopt(
        _ channel: any Channel,
        receivingFrom sender: H4Framer.Sender
    ) throws -> H4Channel {
        let stream = H4Stream(receivingFrom: sender, on: channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(stream)
        return H4Channel(channel: channel, stream: stream)
    }

    /// The numbers of unsent octets at which the channel becomes writable again, and stops being writable.
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 32 * 1024, high: 64 * 1024)

    /// `false` from 64 KiB of unsent octets on, `true` again from 32 KiB.
    ///
    /// Packets may be sent in either case, up to the limit at which the connection ends.
    package var isWritable: Bool { self.stream.isWritable }
    /// Called on the loop when ``isWritable`` has changed.
    package var writabilityChanged: ((Bool) -> Void)? {
        get { self.stream.writabilityChanged }
        set { self.stream.writabilityChanged = newValue }
    }

    public func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.stream.start()
    }

    /// Packets sent in one turn of the loop leave together when it ends.
    public func send(_ packet: HCIPacket) { self.stream.send(packet.bytes) }

    public var leavesProcess: Bool { true }

    /// Flushes in this turn of the loop, since another turn would cost as much as the packet.
    public func sendTogether(_ body: () -> Void) { self.stream.sendTogether(body) }

    /// Closes the connection after sent packets were written; nothing is delivered afterwards.
    public func close() {
        self.receiver = nil
        self.stream.close()
    }

    /// Closes a connection whose other end is unresponsive: the receiver gets `didCloseBecause` in a later turn.
    package func abandon(_ reason: String) {
        self.eventLoop.assumeIsolated().execute { [weak self] in self?.stream.abandon(reason) }
    }

    // MARK: What the stream reports

    func deliverEndOfBatch() { self.receiver?.channelDidFinishBatch(self) }

    func deliverClose(_ reason: String) {
        let receiver = self.receiver
        self.receiver = nil
        receiver?.channel(self, didCloseBecause: reason)
    }
}
