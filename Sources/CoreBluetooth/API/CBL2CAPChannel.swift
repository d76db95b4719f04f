// An L2CAP channel with credit-based flow control, as two streams.

public import Foundation

/// An L2CAP channel between this app and a peer.
///
/// Keep a reference to a channel while you use it: releasing the last one closes it. Data that was written before is
/// still sent, and received data can still be read. A channel also closes when both streams are closed, when its
/// connection ends, and when its PSM is unpublished; the streams are then at their end.
///
/// Apple documents it as `CBL2CAPChannel`.
open class CBL2CAPChannel: NSObject {
    private let endpoints: Endpoints?

    private struct Endpoints {
        var handle: ChannelHandle
        var peer: CBPeer
        var psm: CBL2CAPPSM
        var input: ChannelInputStream
        var output: ChannelOutputStream
    }

    /// A channel without peer and streams, as an app can create it.
    public override init() {
        self.endpoints = nil
        super.init()
    }

    /// An open channel.
    init(_ handle: ChannelHandle, peer: CBPeer, psm: CBL2CAPPSM) {
        handle.claim()
        self.endpoints = Endpoints(
            handle: handle,
            peer: peer,
            psm: psm,
            input: ChannelInputStream(handle.pipe, handle.delivery),
            output: ChannelOutputStream(handle.pipe, handle.delivery)
        )
        super.init()
    }

    /// The peer; `nil` for a channel that an app created.
    open var peer: CBPeer! { self.endpoints?.peer }

    /// The data from the peer; `nil` for a channel that an app created.
    open var inputStream: InputStream! { self.endpoints?.input }

    /// The data to the peer; `nil` for a channel that an app created.
    open var outputStream: OutputStream! { self.endpoints?.output }

    /// The PSM of the channel.
    open var psm: CBL2CAPPSM { self.endpoints?.psm ?? 0 }

    /// The object as log lines show it.
    open override var description: String {
        let peer = self.endpoints?.peer.identifier.uuidString ?? "(null)"
        return "<\(Swift.type(of: self)): \(pointerText(self)), peer = \(peer), psm = \(self.psm)>"
    }
}

extension CBL2CAPChannel {
    /// Events of a channel that Core Bluetooth does not report.
    package enum Milestone: Sendable {
        /// The host has taken everything that was written.
        case sent
        /// The channel has ended. If this side has closed it and the link is still there, the peer has received
        /// everything that was written.
        case ended
    }

    /// Calls `body` once, on any thread, when a milestone is reached; at once if it is, or if an app created the
    /// channel. Not in Apple's interface.
    package func notify(at milestone: Milestone, _ body: @escaping @Sendable () -> Void) {
        guard let pipe = self.endpoints?.handle.pipe else { return body() }
        pipe.notify(at: milestone, body)
    }
}
