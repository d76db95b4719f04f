// What a program may see of an adapter's work: the calls of apps, the calls of delegates, the packets. With it the
// programs show which packets stand behind which call.

package import BluetoothHCI
package import BluetoothTransport

/// Sees what passes between apps, Core Bluetooth and the controller of an adapter.
///
/// Calls and packets come on different threads, each in its order.
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
