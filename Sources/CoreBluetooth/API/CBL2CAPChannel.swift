// An L2CAP channel with credit-based flow control, as two streams.

public import Foundation

/// An L2CAP channel between this app and a peer.
///
/// Keep a reference to a channel that you work with: letting the last one go closes it. What was written before still
/// leaves, and what came may still be read. A channel also closes when both streams are closed, when its connection
/// ends, and when its PSM is no longer published; the streams are then at their end.
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

    /// A channel without peer and streams, as an app can make it.
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

    /// The peer; `nil` for a channel that an app made by itself.
    open var peer: CBPeer! { self.endpoints?.peer }

    /// What the peer sends; `nil` for a channel that an app made by itself.
    open var inputStream: InputStream! { self.endpoints?.input }

    /// What is sent to the peer; `nil` for a channel that an app made by itself.
    open var outputStream: OutputStream! { self.endpoints?.output }

    /// The PSM of the channel.
    open var psm: CBL2CAPPSM { self.endpoints?.psm ?? 0 }

    /// The object as log lines show it.
    open override var description: String {
        let peer = self.endpoints?.peer.identifier.uuidString ?? "(null)"
        return "<\(Swift.type(of: self)): \(pointerText(self)), peer = \(peer), psm = \(self.psm)>"
    }
}
