// One HCI packet as one line of text: its layer, and its meaning in the specification's words. Used for traces of tests
// and the live text of captures.

package import BluetoothHCI

/// One HCI packet as text.
public struct PacketDescription: Hashable, Sendable, CustomStringConvertible {
    /// The layer of a packet.
    package enum Layer: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// Commands and events that concern only host and controller.
        case hci = "HCI"
        /// Advertising, scanning, and the beginning and end of links.
        case gap = "GAP"
        /// L2CAP signalling, and data of L2CAP channels.
        case l2cap = "L2CAP"
        /// The Attribute Protocol.
        case att = "ATT"
        /// The Security Manager Protocol.
        case smp = "SMP"

        /// The layer's usual abbreviation.
        package var description: String { self.rawValue }
    }

    /// The layer.
    package var layer: Layer
    /// The link, if any.
    package var handle: ConnectionHandle?
    /// Its meaning, on one line.
    package var text: String

    /// Creates a description.
    package init(layer: Layer, handle: ConnectionHandle? = nil, text: String) {
        self.layer = layer
        self.handle = handle
        self.text = text
    }

    /// Layer and meaning.
    public var description: String { "\(self.layer) \(self.text)" }
}
