// Values that come are copied into the memory of the last one, unless an app still holds that.

import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("Values between apps and the host")
struct DataByteBufferTests {
    @Test("a value takes on the octets of each buffer, and who holds an earlier one keeps it")
    func setOctets() {
        var generator = SeededGenerator(seed: 5)
        var value = Data()
        var held: [(value: Data, octets: [UInt8])] = []
        for step in 0..<500 {
            // Often as long as the last one, within the object itself, and with memory of its own.
            let count = Bool.random(using: &generator) ? value.count : [0, 1, 14, 15, 244, 512][step % 6]
            let octets = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            value.setOctets(of: ByteBuffer(bytes: octets))
            #expect(Array(value) == octets)
            if Bool.random(using: &generator) { held.append((value, octets)) }
        }
        for (value, octets) in held { #expect(Array(value) == octets) }
    }
}
