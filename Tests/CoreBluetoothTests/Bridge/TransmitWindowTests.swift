import BluetoothHost
import Foundation
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("Transmit window")
struct TransmitWindowTests {
    @Test("7.6 a window is full at its size and reports capacity at half of it")
    func window() {
        let window = TransmitWindow()
        var none: [ByteBuffer] = []
        for _ in 0..<TransmitWindow.size {
            #expect(window.canSend)
            window.add()
        }
        #expect(!window.canSend)
        let early = window.remove(1, buffers: &none)
        #expect(!early && !window.canSend)
        let atHalf = window.remove(TransmitWindow.size / 2, buffers: &none)
        #expect(atHalf && window.canSend)
        let unasked = window.remove(1000, buffers: &none)
        #expect(!unasked && window.count == 0)
        window.refuse()
        #expect(!window.canSend)
        let afterRefusal = window.remove(0, buffers: &none)
        #expect(afterRefusal)
    }

    @Test("the memory of what has left is used again, unless somebody holds it; no more than the size is kept")
    func memory() {
        func address(_ buffer: ByteBuffer) -> UInt {
            buffer.withVeryUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        }
        let window = TransmitWindow()
        #expect(window.takeBuffer() == nil)
        var buffers = [ByteBuffer(repeating: 0xAA, count: 300)]
        let free = address(buffers[0])
        _ = window.remove(1, buffers: &buffers)
        let value = ByteBuffer(octetsOf: Data([1, 2, 3]), in: window.takeBuffer())
        #expect(buffers.isEmpty && address(value) == free)
        #expect(value == ByteBuffer(bytes: [1, 2, 3]) && value.readerIndex == PDUBuffer.valueHeadroom)

        let held = ByteBuffer(repeating: 0xAA, count: 300)
        buffers = [held]
        _ = window.remove(1, buffers: &buffers)
        let other = ByteBuffer(octetsOf: Data([1, 2, 3]), in: window.takeBuffer())
        #expect(other == value && address(other) != address(held))
        #expect(held == ByteBuffer(repeating: 0xAA, count: 300))

        buffers = (0..<TransmitWindow.size + 2).map { _ in ByteBuffer() }
        _ = window.remove(1000, buffers: &buffers)
        #expect(buffers.count == 2)
    }
}
