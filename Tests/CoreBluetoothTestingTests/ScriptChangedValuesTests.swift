// A value of a scripted peripheral that is changed between two requests for its parts, with a closure and without one.

import BluetoothHost
import BluetoothTypes
import CoreBluetooth
import CoreBluetoothTesting
import NIOCore
import Testbed
import Testing

@Suite("Values that change while they are read")
struct ScriptChangedValuesTests {
    @Test("A later part is that of the present value; where a closure gives the value, that of what it gave")
    func parts() throws {
        for hasClosure in [false, true] {
            let testbed = Testbed()
            var characteristic = ScriptedPeripheral.Characteristic(
                "FFF1",
                properties: .read,
                value: Data([1, 2, 3])
            )
            if hasClosure { characteristic.onRead = { _ in .success } }
            let device = testbed.world.addPeripheral(ScriptedPeripheral.thing([characteristic]))
            let central = BareCentral(in: testbed)
            let link = try central.connect()
            let handle = try #require(try central.valueHandles(of: 0xFFF0, on: link).first)
            func read(from offset: Int) throws -> [UInt8] {
                Array(try central.perform(ReadValue(handle, from: offset), on: link).get().readableBytesView)
            }
            #expect(try read(from: 0) == [1, 2, 3])
            device.setValue(Data([7, 8, 9]), of: CBUUID(string: "FFF1"))
            #expect(try read(from: 1) == (hasClosure ? [2, 3] : [8, 9]))
            #expect(try read(from: 0) == [7, 8, 9])
            #expect(try read(from: 2) == [9])
        }
    }
}
