// What a program may see of an adapter's work: the calls of apps, the calls of delegates, the packets. With it the
// programs show which packets stand behind which call.

package import BluetoothHCI
package import BluetoothTransport
package import BluetoothTypes
package import NIOCore

/// Sees what passes between apps, Core Bluetooth and the controller of an adapter.
///
/// Calls and packets come on different threads, each in its order.
package protocol AdapterObserver: AnyObject, Sendable {
    /// An app has called Core Bluetooth; in Apple's words: `discoverServices([180D])`.
    func called(_ call: String)

    /// Core Bluetooth is about to call a delegate; in Apple's words: `didDiscoverServices: 1`.
    func callsDelegate(_ callback: String)

    /// A packet passes between host and controller.
    func passes(_ packet: HCIPacket, _ direction: BTSnoop.Direction)
}

/// Who sees the adapters that a task makes.
package enum AdapterObservation {
    /// Makes the observer of an adapter in virtual time, which lives on an event loop and has an address: for tests that
    /// note all that happens in them.
    @TaskLocal package static var make:
        (@Sendable (_ eventLoop: any EventLoop, _ address: DeviceAddress) -> any AdapterObserver)?
}

/// Shows an observer the packets of a channel.
final class ObserverRecorder: PacketRecorder {
    private let observer: any AdapterObserver

    init(_ observer: any AdapterObserver) { self.observer = observer }

    func record(_ packet: HCIPacket, _ direction: BTSnoop.Direction) { self.observer.passes(packet, direction) }

    func flush() {}
}
