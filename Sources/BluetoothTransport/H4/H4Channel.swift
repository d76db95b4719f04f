// One end of an H4 connection over a Unix socket or TCP (Vol 4, Part A). The host's end speaks to a controller that
// somebody serves; the controller's end is what a server of controllers gets for each connection.

public import BluetoothHCI
public import NIOCore
import NIOPosix

/// An H4 connection over a stream socket.
///
/// At the host's end the receiver gets the controller's packets. At the controller's end the same type works the other
/// way round: the receiver gets the host's packets, and what is sent goes to the host.
public final class H4Channel: HCIChannel {
    /// How many octets may wait for the other end to take them before the connection ends.
    public static let defaultUnsentLimit = 2 * 1024 * 1024

    /// The loop of the socket.
    public let eventLoop: any EventLoop
    private let channel: any Channel
    private let stream: H4Stream
    /// Who gets the packets of the other end.
    @exclusivity(unchecked) private(set) weak var receiver: (any HCIChannelReceiver)?
    /// Who is at the other end.
    public private(set) lazy var peer = H4Peer(of: self.channel)

    init(channel: any Channel, stream: H4Stream) {
        self.eventLoop = channel.eventLoop
        self.channel = channel
        self.stream = stream
        stream.owner = self
    }

    deinit {
        // Nobody holds the connection any more. The socket's own close is safe from any thread.
        self.channel.close(promise: nil)
    }

    /// Connects to a controller; to be called on `eventLoop`, which is one of SwiftNIO's socket loops.
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
            .flatMapThrowing { channel in
                let stream = try channel.pipeline.syncOperations.handler(type: H4Stream.self)
                return H4Channel(channel: channel, stream: stream)
            }
            .flatMapErrorThrowing { error in throw TransportError(connectingTo: address, error) }
            .nonisolated()
    }

    /// Puts an H4 connection on a channel of SwiftNIO that carries plain octets; to be called on its loop.
    ///
    /// - Parameter sender: Who is at the other end.
    package static func adopt(
        _ channel: any Channel,
        receivingFrom sender: H4Framer.Sender
    ) throws -> H4Channel {
        let stream = H4Stream(receivingFrom: sender, on: channel.eventLoop)
        try channel.pipeline.syncOperations.addHandler(stream)
        return H4Channel(channel: channel, stream: stream)
    }

    /// Between which numbers of octets that wait for the other end the channel becomes writable again, or no longer is.
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 32 * 1024, high: 64 * 1024)

    /// Whether the other end takes what is sent: false from 64 KiB of octets that wait for it, true again from 32 KiB.
    ///
    /// What is sent meanwhile is kept, up to the limit at which the connection ends.
    public var isWritable: Bool { self.stream.isWritable }
    /// Called on the loop when ``isWritable`` has changed.
    public var writabilityChanged: ((Bool) -> Void)? {
        get { self.stream.writabilityChanged }
        set { self.stream.writabilityChanged = newValue }
    }

    /// Starts delivery to `receiver`, which the channel does not retain.
    public func start(receiver: any HCIChannelReceiver) {
        self.receiver = receiver
        self.stream.start()
    }

    /// Sends one packet; the packets of one turn of the loop leave together when it ends.
    public func send(_ packet: HCIPacket) { self.stream.send(packet.bytes) }

    /// Packets are copied into what is written.
    public var leavesProcess: Bool { true }

    /// Runs `body`, and writes what it has sent: in this turn of the loop, and not in another one that costs as much as
    /// the packet.
    public func sendTogether(_ body: () -> Void) { self.stream.sendTogether(body) }

    /// Ends the connection, after what was sent; nothing is delivered afterwards.
    public func close() {
        self.receiver = nil
        self.stream.close()
    }

    /// Ends a connection whose other end does nothing any more: the receiver gets `didCloseBecause`, in a later turn.
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
