import NIOCore
import Testing

@testable import BluetoothBlueZ

struct CommandStreamTests {
    private let value = ByteBuffer(string: "a")

    /// A stream that has asked for a socket.
    private func acquiring() -> CommandStream {
        let stream = CommandStream()
        for _ in 0..<9 { _ = stream.write(self.value) }
        return stream
    }

    @Test("makes calls of the first writes, and then asks for a socket once")
    func threshold() {
        let stream = CommandStream()
        for _ in 0..<8 { #expect(stream.write(self.value) == .call) }
        #expect(stream.isDrained)
        #expect(stream.write(self.value) == .acquire)
        #expect(stream.write(self.value) == .taken)
        #expect(!stream.isDrained)
    }

    @Test("makes calls of what has waited if BlueZ refuses, in order")
    func refusal() {
        let stream = self.acquiring()
        let other = ByteBuffer(string: "b")
        _ = stream.write(other)
        #expect(stream.acquired(nil, limit: 20) == [self.value, other])
        #expect(stream.write(self.value) == .call)
        #expect(stream.isDrained && !stream.isFull)
    }

    @Test("is full when 64 writes wait for a socket, and keeps them when it is released")
    func limit() {
        let stream = self.acquiring()
        for _ in 0..<62 { _ = stream.write(self.value) }
        #expect(!stream.isFull)
        _ = stream.write(self.value)
        #expect(stream.isFull)
        stream.release()
        #expect(stream.acquired(nil, limit: 20).count == 64)
    }

    @Test("sends calls that came back before later writes, in order, and loses them if BlueZ has refused the socket")
    func returned() {
        let stream = CommandStream()
        let values = (0..<4).map { ByteBuffer(integer: UInt8($0)) }
        for value in values.prefix(2) { #expect(stream.write(value) == .call) }
        #expect(stream.returned(values[0]) == .acquire)
        #expect(stream.write(values[2]) == .taken)
        #expect(stream.returned(values[1]) == .taken)
        #expect(stream.write(values[3]) == .taken)
        #expect(stream.acquired(nil, limit: 20) == values)
        #expect(stream.returned(values[0]) == nil)
    }
}
