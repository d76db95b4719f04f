// What the tests of this target share: a receiver that writes down what it gets, a folder that goes away, a raw
// client without any code of ours.

import BluetoothHCI
import Foundation
import Logging
import NIOCore
import NIOPosix

@testable import BluetoothTransport

/// What a receiver saw, in order.
enum Seen: Equatable, Sendable {
    case packet([UInt8])
    case endOfBatch
    case close(String)

    var isClose: Bool { if case .close = self { true } else { false } }
    var packet: [UInt8]? { if case .packet(let octets) = self { octets } else { nil } }
}

/// A receiver that writes down what it gets; `answer` may send something back for each packet.
final class Recorder: HCIChannelReceiver, Sendable {
    let seen = Watched<[Seen]>([])
    private let answer: @Sendable (HCIPacket) -> [HCIPacket]

    init(answer: @escaping @Sendable (HCIPacket) -> [HCIPacket] = { _ in [] }) { self.answer = answer }

    func channel(_ channel: any HCIChannel, didReceive packet: HCIPacket) {
        self.seen.update { $0.append(.packet(packet.octets)) }
        for answer in self.answer(packet) { channel.send(answer) }
    }

    func channelDidFinishBatch(_ channel: any HCIChannel) { self.seen.update { $0.append(.endOfBatch) } }

    func channel(_ channel: any HCIChannel, didCloseBecause reason: String) {
        self.seen.update { $0.append(.close(reason)) }
    }

    var packets: [[UInt8]] { self.seen.value.compactMap(\.packet) }
    var closeReason: String? {
        self.seen.value.lazy.compactMap { if case .close(let reason) = $0 { reason } else { nil } }.first
    }
}

extension HCIPacket {
    init(_ octets: [UInt8]) { self.init(h4: ByteBuffer(bytes: octets)) }
    var octets: [UInt8] { Array(self.bytes.readableBytesView) }
}

/// A folder that is removed with its content when the object goes.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/ocb-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        self.path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    func callAsFunction(_ name: String) -> String { "\(self.path)/\(name)" }

    var content: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []).sorted() }
}

/// Log lines, kept instead of printed.
final class LogLines: Sendable {
    let lines = Watched<[String]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self.lines) } }

    private struct Handler: LogHandler {
        var lines: Watched<[String]>
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = event.message.description
            self.lines.update { $0.append(line) }
        }
    }
}

/// A stream socket with nothing above it, used from the test's own thread.
final class RawSocket: Sendable {
    let descriptor: CInt

    init(descriptor: CInt) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, length)
    }

    convenience init(unix path: String) throws {
        self.init(descriptor: socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let descriptor = self.descriptor
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw IOError(errnoCode: errno, reason: "connect") }
    }

    /// Two sockets that are connected with each other.
    static func pair() throws -> (RawSocket, RawSocket) {
        var descriptors: [CInt] = [0, 0]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &descriptors) == 0 else {
            throw IOError(errnoCode: errno, reason: "socketpair")
        }
        return (RawSocket(descriptor: descriptors[0]), RawSocket(descriptor: descriptors[1]))
    }

    /// Sends all octets; false where the other end is gone or takes nothing for 20 seconds.
    @discardableResult
    func send(_ octets: [UInt8]) -> Bool {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(self.descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Reads exactly `count` octets, or fewer where the stream ends or the time is over.
    func read(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while octets.count < count {
            let got = recv(self.descriptor, &chunk, min(chunk.count, count - octets.count), 0)
            guard got > 0 else { break }
            octets += chunk[..<got]
        }
        return octets
    }

    /// Whether the other end has closed, after whatever it sent.
    func endsWithin20Seconds() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let got = recv(self.descriptor, &chunk, chunk.count, 0)
            if got == 0 { return true }
            if got < 0 { return errno == ECONNRESET }
        }
    }

    func finish() { shutdown(self.descriptor, CInt(SHUT_WR)) }

    deinit { close(self.descriptor) }
}

extension EventLoop {
    /// Runs `body` on the loop and waits for what it returns.
    func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await self.submit(body).get()
    }

    /// Runs `body` on the loop and waits for the future, whose value stays there.
    func started<Value>(
        _ body: @escaping @Sendable () -> EventLoopFuture<Value>
    ) async throws -> NIOLoopBound<Value> {
        try await self.flatSubmit {
            body().assumeIsolated().map { NIOLoopBound($0, eventLoop: self) }.nonisolated()
        }.get()
    }
}
