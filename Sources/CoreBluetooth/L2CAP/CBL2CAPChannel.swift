// An L2CAP channel with credit-based flow control, as two streams.

public import Foundation
import NIOConcurrencyHelpers

/// An L2CAP channel between this app and a peer.
///
/// Keep a reference to a channel that you work with: letting the last one go closes it. What was written before still
/// leaves, and what came may still be read. A channel also closes when both streams are closed, when its connection ends,
/// and when its PSM is no longer published; the streams are then at their end.
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

    /// A channel to nobody, as an app can make it: without peer and streams.
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

/// The app's hold on a channel: with the last reference the channel closes, wherever on the way to the app that is.
final class ChannelHandle: Sendable {
    let pipe: ChannelPipe
    let delivery: StreamSchedule.Delivery
    private let unclaimed: UnclaimedChannels
    private let isClaimed = NIOLockedValueBox(false)

    init(_ pipe: ChannelPipe, _ delivery: StreamSchedule.Delivery, _ unclaimed: UnclaimedChannels) {
        self.pipe = pipe
        self.delivery = delivery
        self.unclaimed = unclaimed
        unclaimed.add()
    }

    /// The app is given the channel.
    func claim() {
        let isFirst = self.isClaimed.withLockedValue { isClaimed in
            defer { isClaimed = true }
            return !isClaimed
        }
        if isFirst { self.unclaimed.remove() }
    }

    deinit {
        self.claim()
        self.pipe.change { $0.release(&$1) }
    }
}

/// Counts channels that are on their way to an app, so that peers cannot open more than it looks at.
final class UnclaimedChannels: Sendable {
    /// How many may be on their way.
    static let limit = 64

    private let count = NIOLockedValueBox(0)

    /// Whether another channel may be opened.
    var hasCapacity: Bool { self.count.withLockedValue { $0 < Self.limit } }

    fileprivate func add() { self.count.withLockedValue { $0 += 1 } }
    fileprivate func remove() { self.count.withLockedValue { $0 -= 1 } }
}
