// Values on their way between apps, which have `Data`, and the host, which has `ByteBuffer`: copied once each way.

import BluetoothHost
import Foundation
import NIOCore

extension Data {
    /// The readable octets of a buffer.
    init(octetsOf buffer: ByteBuffer) {
        self = buffer.withUnsafeReadableBytes { Data($0) }
    }

    /// Takes on the readable octets of a buffer: in the same memory if it has as many, and nobody else holds it.
    mutating func setOctets(of buffer: ByteBuffer) {
        guard self.count == buffer.readableBytes else { return self = Data(octetsOf: buffer) }
        self.withUnsafeMutableBytes { own in buffer.withUnsafeReadableBytes { own.copyMemory(from: $0) } }
    }
}

extension ByteBuffer {
    /// The octets of a `Data`, `limit` at most, as a value that can be sent without another copy: in the memory of
    /// `buffer`, unless it is shared.
    init(octetsOf data: Data, limit: Int = .max, in buffer: consuming ByteBuffer? = nil) {
        let count = Swift.min(data.count, limit)
        if var buffer = buffer.take() {
            buffer.clear(minimumCapacity: PDUBuffer.valueHeadroom + count)
            buffer.moveWriterIndex(to: PDUBuffer.valueHeadroom)
            buffer.moveReaderIndex(to: PDUBuffer.valueHeadroom)
            self = buffer
        } else {
            self = PDUBuffer.make(capacity: count, headroom: PDUBuffer.valueHeadroom)
        }
        self.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { octets in
            data.withUnsafeBytes { octets.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
            return count
        }
    }
}
