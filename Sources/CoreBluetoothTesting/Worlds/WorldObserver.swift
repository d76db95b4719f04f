// Observing a world as it runs: the lines of its trace and the calls of delegates, in one order. Also records the calls
// of apps in the trace.

import BluetoothHCI
import BluetoothTransport
import CoreBluetooth
import NIOCore

/// Observes a world in which one thread at a time runs code of devices.
package protocol WorldObserver: AnyObject {
    /// A line was added to the trace.
    func traced(_ entry: TraceEntry)

    /// Core Bluetooth is about to call a delegate.
    func callsDelegate(_ callback: String, on device: String, at time: Duration)
}

/// Records the calls of one device's apps in the trace, and reports calls of its delegates.
///
/// `WatchedChannel` records packets, also of devices without an adapter.
final class DeviceObserver: AdapterObserver, @unchecked Sendable {
    // Unchecked: the recorder takes notes from any thread, and with an observer there is only one thread.
    private let recorder: Recorder
    private let device: Recorder.DeviceIndex
    private let loop: WorldLoop

    init(_ recorder: Recorder, device: Recorder.DeviceIndex, on loop: WorldLoop) {
        self.recorder = recorder
        self.device = device
        self.loop = loop
    }

    func called(_ call: String) { self.recorder.note(call, .app, device: self.device, at: self.loop.now) }

    func callsDelegate(_ callback: @autoclosure () -> String?) {
        guard let observer = self.recorder.observer, let callback = callback() else { return }
        observer.callsDelegate(callback, on: self.recorder.name(of: self.device), at: Duration(self.loop.now))
    }

    func passes(_ packet: HCIPacket, _ direction: BTSnoop.Direction) {}
}
