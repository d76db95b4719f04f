// Observation of an adapter's work: apps' calls, delegates' calls and packets. The programs use it to show which
// packets belong to which call.

package import BluetoothHCI
package import BluetoothTransport

/// Observes an adapter's apps, Core Bluetooth and the controller.
///
/// Calls and packets arrive on different threads, each kind in order.
package protocol AdapterObserver: AnyObject, Sendable {
    /// An app has called Core Bluetooth; in Apple's words: `discoverServices([180D])`.
    func called(_ call: String)

    /// Core Bluetooth is about to call a delegate; in Apple's words: `didDiscoverServices: 1`. `nil` if it calls none.
    func callsDelegate(_ callback: @autoclosure () -> String?)

    /// A packet passes between host and controller.
    func passes(_ packet: HCIPacket, _ direction: BTSnoop.Direction)
}

/// Shows an observer the packets of a channel.
final class ObserverRecorder: PacketRecorder {
    private let observer: any AdapterObserver

    init(_ observer: any AdapterObserver) { self.observer = observer }

    func record(_ packet: HCIPacket, _ direction: BTSnoop.Direction) { self.observer.passes(packet, direction) }

    func flush() {}
}
