// An L2CAP channel with credit-based flow control, as two streams.

public import Foundation

/// An L2CAP channel between this app and a peer.
open class CBL2CAPChannel: NSObject {
    /// The peer; `nil` for a channel that an app made by itself.
    open var peer: CBPeer! { nil }

    /// What the peer sends; `nil` for a channel that an app made by itself.
    open var inputStream: InputStream! { nil }

    /// What is sent to the peer; `nil` for a channel that an app made by itself.
    open var outputStream: OutputStream! { nil }

    /// The PSM of the channel.
    open var psm: CBL2CAPPSM { 0 }
}
