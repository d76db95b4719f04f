import BluetoothHost
import Foundation
import NIOCore
import Testbed
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

    @Test("7.6 capacity is reported with the PDU that leaves half of the window")
    func exactHalf() {
        let window = TransmitWindow()
        var none: [ByteBuffer] = []
        for _ in 0..<TransmitWindow.size { window.add() }
        let early = window.remove(TransmitWindow.size / 2 - 1, buffers: &none)
        #expect(!early && !window.canSend)
        let atHalf = window.remove(1, buffers: &none)
        #expect(atHalf && window.canSend && window.count == TransmitWindow.size / 2)
    }

    @Test("an app that asks first is refused when the window is full, until half of it has left")
    func addIfWritable() {
        let window = TransmitWindow()
        var none: [ByteBuffer] = []
        let added = (0..<TransmitWindow.size).map { _ in window.addIfWritable() }
        #expect(added.allSatisfy { $0 })
        #expect(!window.canSend && !window.addIfWritable() && window.count == TransmitWindow.size)
        let early = window.remove(TransmitWindow.size / 2 - 1, buffers: &none)
        #expect(!early && !window.addIfWritable())
        let atHalf = window.remove(1, buffers: &none)
        #expect(atHalf && window.addIfWritable())
    }

    @Test("a full window takes more up to a limit, and not beyond")
    func limit() {
        let window = TransmitWindow()
        let limit = TransmitWindow.size + 2
        let added = (0..<limit).map { _ in window.add(limit: limit) }
        #expect(added.allSatisfy { $0 })
        #expect(!window.add(limit: limit) && window.count == limit)
    }

    @Test("as much memory is taken as PDUs have left")
    func memoryByCount() {
        let window = TransmitWindow()
        var buffers = [ByteBuffer(), ByteBuffer(), ByteBuffer()]
        _ = window.remove(2, buffers: &buffers)
        #expect(buffers.count == 1)
        #expect(window.takeBuffer() != nil && window.takeBuffer() != nil && window.takeBuffer() == nil)
    }
}
