// L2CAP channels of a scripted peripheral.

import BluetoothHost
public import CoreBluetooth
import NIOCore

extension ScriptedPeripheral {
    /// An L2CAP channel that centrals may open.
    ///
    /// ```swift
    /// .init(psm: 0x80)
    /// .init(psm: 0x81, onData: { data, channel in channel.send(Data(data.reversed())) })
    /// ```
    public struct Channel {
        /// Its PSM, 0x0001 to 0x00FF; dynamic ones begin at 0x0080 (Vol 3, Part A, 4.22).
        public var psm: CBL2CAPPSM
        /// The security that it requires.
        public var security: Security
        /// Called when a central has opened it.
        public var onOpen: ((ScriptedChannel) -> Void)?
        /// Called with received octets; `nil` to send them back.
        public var onData: ((Data, ScriptedChannel) -> Void)?

        /// Creates a channel.
        public init(
            psm: CBL2CAPPSM,
            security: Security = .none,
            onOpen: ((ScriptedChannel) -> Void)? = nil,
            onData: ((Data, ScriptedChannel) -> Void)? = nil
        ) {
            self.psm = psm
            self.security = security
            self.onOpen = onOpen
            self.onData = onData
        }
    }
}

/// An open L2CAP channel of a ``ScriptedDevice``.
public final class ScriptedChannel {
    /// Its PSM.
    public let psm: CBL2CAPPSM
    /// All received octets.
    public internal(set) var received = Data()
    /// Whether it is open.
    public internal(set) var isOpen = true
    let id: L2CAPChannelID
    private weak var player: ScriptPlayer?
    /// Octets that wait for credits of the central.
    private var waiting = ByteBuffer()

    init(_ id: L2CAPChannelID, psm: CBL2CAPPSM, player: ScriptPlayer) {
        self.id = id
        self.psm = psm
        self.player = player
    }

    /// Sends octets as soon as the central accepts them.
    public func send(_ data: Data) {
        guard self.isOpen else { return }
        self.waiting.writeBytes(data)
        self.flush()
    }

    /// Closes the channel after sending pending octets.
    public func close() {
        guard self.isOpen, let host = self.player?.host else { return }
        self.isOpen = false
        host.closeChannel(self.id, after: [self.waiting])
    }

    func flush() {
        guard self.isOpen, let host = self.player?.host else { return }
        let count = host.write(self.waiting, on: self.id)
        self.waiting.moveReaderIndex(forwardBy: min(count, self.waiting.readableBytes))
        self.waiting.discardReadBytes()
    }
}
