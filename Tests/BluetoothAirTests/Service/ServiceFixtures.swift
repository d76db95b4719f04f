// What the tests of the served air share: a stand-in for an air whose controllers answer two commands and pass messages
// on to each other, and the simplest host.

import BluetoothHCI
import BluetoothTransport
import Foundation
import Logging
import NIOCore
import NIOPosix

@testable import BluetoothAir

/// Controllers that hear each other's vendor command 0xFC01 as a vendor event.
final class FakeAir {
    let eventLoop: any EventLoop
    private(set) var controllers: [FakeController] = []
    private var made: UInt8 = 0

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func makeController() -> FakeController {
        self.made += 1
        let controller = FakeController(air: self, number: self.made)
        self.controllers.append(controller)
        return controller
    }

    func say(_ octets: [UInt8], from speaker: FakeController) {
        for controller in self.controllers where controller !== speaker {
            controller.deliver([0x04, 0xFF, UInt8(octets.count)] + octets)
        }
    }

    func leave(_ controller: FakeController) { self.controllers.removeAll { $0 === controller } }
}

/// A controller that knows Reset, Read BD_ADDR and the message of ``FakeAir``.
final class FakeController: HCIChannel {
    let eventLoop: any EventLoop
    private let air: FakeAir
    private let number: UInt8
    private weak var receiver: (any HCIChannelReceiver)?

    init(air: FakeAir, number: UInt8) {
        self.eventLoop = air.eventLoop
        self.air = air
        self.number = number
    }

    func start(receiver: any HCIChannelReceiver) { self.receiver = receiver }

    func send(_ packet: HCIPacket) {
        let octets = Array(packet.bytes.readableBytesView)
        switch (octets[1], octets[2]) {
        case (0x03, 0x0C): self.deliver([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
        case (0x09, 0x10): self.deliver([0x04, 0x0E, 0x0A, 0x01, 0x09, 0x10, 0x00, self.number, 0, 0, 0, 0, 0])
        case (0x01, 0xFC): self.air.say(Array(octets[4...]), from: self)
        case (0x02, 0xFC): self.receiver?.channel(self, didCloseBecause: "the controller has had enough")
        default: self.deliver([0x04, 0x0E, 0x04, 0x01, octets[1], octets[2], 0x01])
        }
    }

    func deliver(_ octets: [UInt8]) {
        self.eventLoop.assumeIsolated().execute {
            self.receiver?.channel(self, didReceive: HCIPacket(h4: ByteBuffer(bytes: octets)))
            self.receiver?.channelDidFinishBatch(self)
        }
    }

    func close() {
        self.receiver = nil
        self.air.leave(self)
    }
}

/// A folder that is removed with its content when the object goes.
final class ScratchFolder: Sendable {
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
final class KeptLog: Sendable {
    let lines = Watched<[String]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self.lines) } }

    private struct Handler: LogHandler {
        var lines: Watched<[String]>
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.info

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

/// A host that is nothing but a socket, used from the test's own thread.
final class RawHost: Sendable {
    let descriptor: CInt

    init(unix path: String) throws {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw IOError(errnoCode: errno, reason: "connect") }
    }

    deinit { Foundation.close(self.descriptor) }

    func send(_ octets: [UInt8]) {
        _ = octets.withUnsafeBytes { Foundation.send(self.descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }

    /// Reads exactly `count` octets, or fewer where the stream ends or 20 seconds are over.
    func read(_ count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while octets.count < count {
            let got = recv(self.descriptor, &chunk, min(chunk.count, count - octets.count), 0)
            guard got > 0 else { break }
            octets += chunk[..<got]
        }
        return octets
    }

    /// Sends a command and reads its Command Complete event.
    func complete(_ opcode: UInt16, _ parameters: [UInt8] = []) -> [UInt8] {
        self.send([0x01, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters)
        let head = self.read(3)
        guard head.count == 3 else { return head }
        return head + self.read(Int(head[2]))
    }

    /// Whether the other end has closed, after whatever it sent.
    func endsWithin20Seconds() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let got = recv(self.descriptor, &chunk, chunk.count, 0)
            if got == 0 { return true }
            if got < 0 { return errno == ECONNRESET }
        }
    }

    func finish() { shutdown(self.descriptor, CInt(SHUT_RDWR)) }
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

/// Looks again and again until the condition is met or 20 seconds are over.
func eventually(_ isMet: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while try await !isMet(), ContinuousClock.now < deadline { await Task.yield() }
}
