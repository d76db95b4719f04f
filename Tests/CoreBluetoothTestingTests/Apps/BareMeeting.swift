// A scripted device and a bare host, for requests that Core Bluetooth never sends.

import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

/// A host that is connected to a device and knows the handles of the values of its service FFF0.
struct BareMeeting {
    let testbed = Testbed()
    let device: ScriptedDevice
    let central: BareCentral
    let link: LinkID
    let handles: [AttributeHandle]

    init(script: ScriptedPeripheral, change: (ScriptedDevice) -> Void = { _ in }) throws {
        self.device = self.testbed.world.addPeripheral(script)
        change(self.device)
        self.central = BareCentral(in: self.testbed)
        self.link = try self.central.connect()
        self.handles = try self.central.valueHandles(of: 0xFFF0, on: self.link)
    }

    init(_ characteristic: ScriptedPeripheral.Characteristic) throws { try self.init(script: .thing([characteristic])) }

    var handle: AttributeHandle { self.handles[0] }
    var value: [UInt8] { self.values[0] }

    /// The values of the characteristics, in order.
    var values: [[UInt8]] { self.device.player.characteristics.map { Array(self.device.value(of: $0) ?? Data()) } }

    /// The values that the device notes as written, in order.
    var written: [[UInt8]] { self.device.writes.map { Array($0.value) } }

    func read(_ handle: AttributeHandle, from offset: Int = 0) throws -> [UInt8] {
        Array(try self.central.perform(ReadValue(handle, from: offset), on: self.link).get().readableBytesView)
    }

    func write(_ handle: AttributeHandle, _ pieces: [(offset: Int, value: [UInt8])]) throws {
        let pieces = pieces.map { (offset: $0.offset, value: ByteBuffer(bytes: $0.value)) }
        try self.central.perform(WriteInPieces(handle, pieces), on: self.link).get()
    }

    /// Writes 11, 12 and so on with one Execute Write; returns the error, and how long it took.
    func writeReliably(to handles: [AttributeHandle]) -> (error: GATTError?, time: Duration) {
        let values = handles.enumerated().map { index, handle in
            AttributeValue(handle: handle, value: ByteBuffer(bytes: [UInt8(index + 11)]))
        }
        let start = self.testbed.world.now
        let result = self.central.perform(ReliableWrites(values), on: self.link)
        var error: GATTError?
        if case .failure(let failure) = result { error = failure }
        return (error, self.testbed.world.now - start)
    }
}
