// One HCI packet as one line of text: its layer, and its meaning in the specification's words.
// Traces of tests and the live text of captures are made of these.

public import BluetoothHCI

/// One HCI packet as text.
public struct PacketDescription: Hashable, Sendable, CustomStringConvertible {
    /// The layer that a packet is about.
    public enum Layer: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// Commands and events that concern host and controller alone.
        case hci = "HCI"
        /// Advertising, scanning, the beginning and the end of links.
        case gap = "GAP"
        /// L2CAP signalling, and data of L2CAP channels.
        case l2cap = "L2CAP"
        /// The Attribute Protocol.
        case att = "ATT"
        /// The Security Manager Protocol.
        case smp = "SMP"

        /// The layer's usual abbreviation.
        public var description: String { self.rawValue }
    }

    /// The layer that the packet is about.
    public var layer: Layer
    /// The link that it is about; `nil` where it is about none.
    public var handle: ConnectionHandle?
    /// Its meaning, on one line.
    public var text: String

    /// Creates a description.
    public init(layer: Layer, handle: ConnectionHandle? = nil, text: String) {
        self.layer = layer
        self.handle = handle
        self.text = text
    }

    /// Layer and meaning.
    public var description: String { "\(self.layer) \(self.text)" }
}
