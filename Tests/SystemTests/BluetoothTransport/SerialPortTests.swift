// A pseudo-terminal stands for the serial line.

#if os(Linux)

import BluetoothHCI
import BluetoothTypes
import CPlatform
import Fixtures
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import BluetoothTransport

@Suite("Serial port")
struct SerialPortTests {
    static let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

    /// A channel on a line, started.
    final class Opened: Sendable {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let recorder = TransportRecorder()
        private let channel: NIOLoopBound<H4Channel>

        init(_ path: String, speed: Int = 115_200) async throws {
            let (loop, recorder) = (self.loop, self.recorder)
            self.channel = try await loop.started { H4Channel.open(serialPort: path, bitsPerSecond: speed, on: loop) }
            let channel = self.channel
            try await loop.run { channel.value.start(receiver: recorder) }
        }

        func send(_ packets: [[UInt8]]) async throws {
            try await self.loop.run { for packet in packets { self.channel.value.send(HCIPacket(octetsOfH4: packet)) } }
        }

        func close() async throws { try await self.loop.run { self.channel.value.close() } }

        /// Waits until `count` packets have arrived.
        func packets(_ count: Int) async -> [[UInt8]] {
            await self.recorder.seen.wait { $0.compactMap(\.packet).count >= count }
            return self.recorder.packets
        }

        func closeReason() async -> String? {
            await self.recorder.seen.wait { $0.contains(where: \.isClose) }
            return self.recorder.closeReason
        }
    }

    static func failure(_ path: String, speed: Int = 115_200) async throws -> TransportError {
        try await #require(throws: TransportError.self) { _ = try await Opened(path, speed: speed) }
    }

    @Test("passes packets with all octets in both directions")
    func everyOctet() async throws {
        let line = try SerialPseudoTerminal()
        let opened = try await Opened(line.path)
        // Including line ends, end of file, software flow control, interrupt and erase.
        let octets = (0...255).map(UInt8.init)
        let command: [UInt8] = [0x01, 0x00, 0xFC, 0xFF] + octets.dropLast()
        try await opened.send([Self.reset, command])
        #expect(line.read(Self.reset.count + command.count) == Self.reset + command)
        let event: [UInt8] = [0x04, 0xFF, 0xFF] + octets.dropFirst()
        line.send(Self.resetAnswer + event)
        #expect(await opened.packets(2) == [Self.resetAnswer, event])
        try await opened.close()
    }

    @Test("discards noise before the answer to the first reset", arguments: 0..<8)
    func noiseFirst(seed: UInt64) async throws {
        let line = try SerialPseudoTerminal()
        let opened = try await Opened(line.path)
        var generator = SeededGenerator(seed: seed)
        let noise = (0..<Int.random(in: 1...700, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
        // The start of a long packet would swallow what follows, half an answer would hide the complete one.
        let tail: [[UInt8]] = [
            [], [0x02, 0x40, 0x20, 0xFF, 0x0F], [0x04], [0x04, 0x0E, 0x04, 0x01], [0x04, 0xFF, 0xFF],
        ]
        line.send(noise + tail[Int(seed) % tail.count])
        try await opened.send([Self.reset])
        #expect(line.read(4) == Self.reset)
        let event: [UInt8] = [0x04, 0x10, 0x01, 0x42]
        line.send(Self.resetAnswer + event)
        #expect(await opened.packets(2) == [Self.resetAnswer, event])
        try await opened.close()
    }

    @Test("lost synchronization ends the channel; the next one on the port begins with a reset")
    func lostPlace() async throws {
        let line = try SerialPseudoTerminal()
        let first = try await Opened(line.path, speed: 921_600)
        line.send(Self.resetAnswer + [0x04, 0x10, 0x01, 0x42] + [0x55, 0xAA])
        let reason = try #require(await first.closeReason())
        #expect(reason.contains("what came from \(line.path) is not HCI"))
        #expect(reason.contains("is 921600 its speed?"))
        #expect(first.recorder.packets == [Self.resetAnswer, [0x04, 0x10, 0x01, 0x42]])
        let second = try await Opened(line.path, speed: 921_600)
        line.send([0xAA, 0x55, 0x02] + Self.resetAnswer)
        #expect(await second.packets(1) == [Self.resetAnswer])
        try await second.close()
    }

    @Test("endless noise ends the channel")
    func noiseForever() async throws {
        let line = try SerialPseudoTerminal()
        let opened = try await Opened(line.path)
        for _ in 0..<40 { line.send([UInt8](repeating: 0xF0, count: 512)) }
        let reason = try #require(await opened.closeReason())
        #expect(reason.contains("no packet in"))
        #expect(reason.contains("is 115200 its speed?"))
        #expect(opened.recorder.packets.isEmpty)
    }

    @Test("a line that hangs up ends the channel once, after what came before")
    func hangUp() async throws {
        let line = try SerialPseudoTerminal()
        let opened = try await Opened(line.path)
        line.send(Self.resetAnswer)
        _ = await opened.packets(1)
        line.hangUp()
        let reason = try #require(await opened.closeReason())
        #expect(reason.hasPrefix("the serial port \(line.path) is gone"))
        #expect(reason.contains("plug it in again"))
        try await opened.send([Self.reset])
        try await opened.close()
        #expect(opened.recorder.seen.value.filter(\.isClose).count == 1)
    }

    @Test("a port is exclusive to one program until it is closed")
    func busy() async throws {
        let line = try SerialPseudoTerminal()
        let opened = try await Opened(line.path)
        let error = try await Self.failure(line.path)
        #expect(error.code == .inUse)
        #expect(error.message.contains("fuser -v \(line.path)"))
        // The program that uses it is not disturbed.
        line.send(Self.resetAnswer)
        #expect(await opened.packets(1) == [Self.resetAnswer])
        try await opened.close()
        // Reopening happens after the close.
        let next = try await Opened(line.path)
        line.send(Self.resetAnswer)
        #expect(await next.packets(1) == [Self.resetAnswer])
        try await next.close()
    }

    @Test("sets the requested speed, standard or not", arguments: [9600, 115_200, 1_000_000, 1_234_567])
    func speed(speed: Int) async throws {
        let line = try SerialPseudoTerminal()
        let opened = try await Opened(line.path, speed: speed)
        let descriptor = Foundation.open(line.path, O_RDWR | O_NOCTTY)
        // The superuser may open an exclusive port; others read the speed at the other end of the line.
        if descriptor >= 0 {
            defer { Foundation.close(descriptor) }
            var real: UInt32 = 0
            #expect(linux_serial_get_speed(descriptor, &real) == 0)
            #expect(Int(real) == speed)
        } else {
            #expect(errno == EBUSY)
        }
        try await opened.close()
    }

    @Test("rejects a file that is not a serial port")
    func noPort() async throws {
        let folder = try TemporaryFolder()
        #expect(FileManager.default.createFile(atPath: folder("file"), contents: nil))
        for path in [folder("file"), folder.path, "/dev/null"] {
            let error = try await Self.failure(path)
            #expect(error.code == .badName)
            #expect(error.message.contains("\(path) is not a serial port"))
        }
        for path in [folder("ttyACM7"), folder("file/ttyACM7")] {
            let error = try await Self.failure(path)
            #expect(error.code == .notFound)
            #expect(error.message.contains("there is no \(path)"))
        }
    }

    /// A line whose port is raw, and open here.
    private final class Line {
        let terminal: SerialPseudoTerminal
        private let descriptor: CInt

        init() throws {
            self.terminal = try SerialPseudoTerminal()
            self.descriptor = Foundation.open(self.terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            try #require(self.descriptor >= 0)
            try #require(linux_serial_configure(self.descriptor, 115_200) == 0)
        }

        deinit { Foundation.close(self.descriptor) }

        /// The number of unread octets.
        var unreadCount: Int {
            var count: CInt = -1
            return ioctl(self.descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
        }

        /// Whether the port is exclusive: `TIOCGEXCL`.
        var isExclusive: Bool? {
            var isExclusive: CInt = -1
            return ioctl(self.descriptor, 0x8004_5440, &isExclusive) == 0 ? isExclusive == 1 : nil
        }

        /// Whether the port has hardware flow control: `CRTSCTS`.
        var hasFlowControl: Bool? {
            var settings = termios()
            return tcgetattr(self.descriptor, &settings) == 0 ? settings.c_cflag & 0x8000_0000 != 0 : nil
        }
    }

    @Test("discards a packet from before the port was opened")
    func stalePacket() async throws {
        let line = try Line()
        line.terminal.send([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
        try await eventually { line.unreadCount == 7 }
        #expect(line.unreadCount == 7)
        let device = try SerialPort.open(line.terminal.path, speed: 115_200)
        #expect(line.unreadCount == 0)
        device.close()
    }

    @Test("makes an open port exclusive")
    func exclusive() throws {
        let line = try Line()
        #expect(line.isExclusive == false)
        let device = try SerialPort.open(line.terminal.path, speed: 115_200)
        #expect(line.isExclusive == true)
        device.close()
    }

    @Test("turns on RTS/CTS flow control while a port is open, and off when it is closed")
    func flowControl() async throws {
        let line = try Line()
        let device = try SerialPort.open(line.terminal.path, speed: 115_200)
        #expect(line.hasFlowControl == true)
        device.close()
        try await eventually { line.hasFlowControl == false }
        #expect(line.hasFlowControl == false)
    }
}

#endif
