// What a program may see of a world as it happens: the lines of its trace, and what apps and Core Bluetooth call of
// each other, in one order.

import BluetoothHCI
import BluetoothTransport
import CoreBluetooth
import NIOCore

/// Sees what happens in a world, on the thread that lets its time pass.
package protocol WorldObserver: AnyObject {
    /// A line has come to the trace.
    func traced(_ entry: TraceEntry)

    /// An app has called Core Bluetooth, in Apple's words.
    func called(_ call: String, on device: String, at time: Duration)

    /// Core Bluetooth is about to call a delegate, in Apple's words.
    func callsDelegate(_ callback: String, on device: String, at time: Duration)
}

/// Reports the calls of one device's apps to the world's observer.
///
/// Packets are in the trace, also those of devices without an adapter.
final class DeviceObserver: AdapterObserver {
    private struct Place {
        weak var world: World?
    }

    private let place: NIOLoopBound<Place>
    private let device: String

    init(_ world: World, device: String) {
        self.place = NIOLoopBound(Place(world: world), eventLoop: world.loop)
        self.device = device
    }

    func called(_ call: String) {
        guard let world = self.place.value.world else { return }
        world.observer?.called(call, on: self.device, at: world.now)
    }

    func callsDelegate(_ callback: String) {
        guard let world = self.place.value.world else { return }
        world.observer?.callsDelegate(callback, on: self.device, at: world.now)
    }

    func passes(_ packet: HCIPacket, _ direction: BTSnoop.Direction) {}
}
