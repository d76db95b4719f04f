// What a program may see of a world as it happens: the lines of its trace, and the calls of delegates, in one order;
// and what brings the calls of apps into the trace.

import BluetoothHCI
import BluetoothTransport
import CoreBluetooth
import NIOCore

/// Sees what happens in a world, in which one thread at a time runs code of devices.
package protocol WorldObserver: AnyObject {
    /// A line has come to the trace.
    func traced(_ entry: TraceEntry)

    /// Core Bluetooth is about to call a delegate, in Apple's words.
    func callsDelegate(_ callback: String, on device: String, at time: Duration)
}

/// Brings the calls of one device's apps into the trace of their world, and reports those of its delegates.
///
/// Packets are in the trace, also those of devices without an adapter.
final class DeviceObserver: AdapterObserver, @unchecked Sendable {
    // Unchecked: the recorder takes notes from any thread, and where it has an observer, there is one thread.
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
