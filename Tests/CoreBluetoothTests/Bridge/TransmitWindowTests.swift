import BluetoothHost
import NIOCore
import Testing

@testable import CoreBluetooth

@Suite("7.6 Transmit window")
struct TransmitWindowTests {
    @Test("is full at its size for an app that asks first or not, and reports capacity once at half of it")
    func window() {
        let window = TransmitWindow()
        var none: [ByteBuffer] = []
        func remove(_ count: Int) -> Bool { window.remove(count, buffers: &none) }
        for number in 0..<TransmitWindow.size {
            #expect(window.canSend)
            if number % 2 == 0 { window.add() } else { #expect(window.addIfWritable()) }
        }
        #expect(!window.canSend && !window.addIfWritable() && window.count == TransmitWindow.size)
        #expect([remove(TransmitWindow.size / 2 - 1), window.addIfWritable(), remove(1)] == [false, false, true])
        #expect(window.addIfWritable())
        #expect([remove(1000), window.count == 0] == [false, true])
        window.refuse()
        #expect(!window.canSend)
        #expect([remove(0)] == [true])
    }

    @Test("K1 reports each time that everything has left, if it is asked to")
    func empty() {
        let window = TransmitWindow(reportsEmpty: true)
        var none: [ByteBuffer] = []
        func remove(_ count: Int) -> Bool { window.remove(count, buffers: &none) }
        for _ in 0..<2 {
            window.add()
            let afterOne = remove(1)
            #expect(afterOne)
        }
        for _ in 0..<3 { window.add() }
        let rests = [remove(2), remove(1), remove(1)]
        #expect(rests == [false, true, false])
        for _ in 0..<TransmitWindow.size { window.add() }
        let afterFull = [remove(TransmitWindow.size / 2), remove(1), remove(1000)]
        #expect(afterFull == [true, false, true])
    }

    @Test("takes more than its size up to a limit")
    func limit() {
        let window = TransmitWindow()
        let limit = TransmitWindow.size + 2
        let added = (0..<limit).map { _ in window.add(limit: limit) }
        #expect(added.allSatisfy { $0 })
        #expect(!window.add(limit: limit) && window.count == limit)
    }

    @Test("reuses the memory of sent PDUs unless somebody holds it, up to its size")
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
