import BluetoothHost
import Fixtures
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Values between apps and the host")
struct DataByteBufferTests {
    @Test("takes on the octets of each buffer, and leaves values that an app holds")
    func setOctets() {
        var generator = SeededChoices(seed: 5)
        var value = Data()
        var held: [(value: Data, octets: [UInt8])] = []
        for step in 0..<500 {
            let count = Bool.random(using: &generator) ? value.count : [0, 1, 14, 15, 244, 512][step % 6]
            let octets = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            value.setOctets(of: ByteBuffer(bytes: octets))
            #expect(Array(value) == octets)
            if Bool.random(using: &generator) { held.append((value, octets)) }
        }
        for (value, octets) in held { #expect(Array(value) == octets) }
    }

    @Test("copies octets up to a limit, in memory of an earlier buffer or new memory", arguments: [0, 1, 20, 512, 600])
    func octets(count: Int) {
        let data = Data((0..<count + 20).map { UInt8(truncatingIfNeeded: $0) })[10..<count + 10]
        for limit in [0, 1, 512, Int.max] {
            for buffer in [nil, ByteBuffer(), ByteBuffer(repeating: 9, count: 700)] {
                let written = ByteBuffer(octetsOf: data, limit: limit, in: buffer)
                #expect(Data(octetsOf: written) == data.prefix(limit))
                // Space for the headers of the layers below.
                #expect(written.readerIndex >= PDUBuffer.valueHeadroom)
            }
        }
    }
}
