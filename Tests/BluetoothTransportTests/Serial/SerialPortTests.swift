// Controllers on serial ports, with a pseudo-terminal in place of the line.

#if os(Linux)

import BluetoothHCI
import BluetoothTypes
import CLinuxBluetooth
import Fixtures
import Foundation
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import BluetoothTransport

@Suite("Serial port", .timeLimit(.minutes(2)))
struct SerialPortTests {
    static let resetAnswer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
    static let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]

    /// A channel on a line, started.
    final class Opened: Sendable {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let recorder = Recorder()
        private let channel: NIOLoopBound<H4Channel>

        init(_ path: String, speed: Int = 115_200) async throws {
            let (loop, recorder) = (self.loop, self.recorder)
            self.channel = try await loop.started { H4Channel.open(serialPort: path, bitsPerSecond: speed, on: loop) }
            let channel = self.channel
            try await loop.run { channel.value.start(receiver: recorder) }
        }

        func send(_ packets: [[UInt8]]) async throws {
            try await self.loop.run { for packet in packets { self.channel.value.send(HCIPacket(packet)) } }
        }

        func close() async throws { try await self.loop.run { self.channel.value.close() } }

        /// Waits until `count` packets have come.
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

    @Test("Packets pass in both directions, whatever octets they hold")
    func everyOctet() async throws {
        let line = try PseudoTerminal()
        let opened = try await Opened(line.path)
        // Line ends, end of file, flow control by characters, interrupt and erase among them.
        let octets = (0...255).map(UInt8.init)
        let command: [UInt8] = [0x01, 0x00, 0xFC, 0xFF] + octets.dropLast()
        try await opened.send([Self.reset, command])
        #expect(line.read(Self.reset.count + command.count) == Self.reset + command)
        let event: [UInt8] = [0x04, 0xFF, 0xFF] + octets.dropFirst()
        line.send(Self.resetAnswer + event)
        #expect(await opened.packets(2) == [Self.resetAnswer, event])
        try await opened.close()
    }

    @Test("Packets that come joined and split in any way")
    func splits() async throws {
        let line = try PseudoTerminal()
        let opened = try await Opened(line.path)
        var generator = SeededGenerator(seed: 4)
        var expected = [Self.resetAnswer]
        for number in 0..<200 {
            expected.append(H4ChannelTests.fromController[number % H4ChannelTests.fromController.count])
        }
        var stream = Array(expected.joined())[...]
        while !stream.isEmpty {
            let part = stream.prefix(Int.random(in: 1...12, using: &generator))
            line.send(Array(part))
            stream = stream.dropFirst(part.count)
        }
        #expect(await opened.packets(expected.count) == expected)
        try await opened.close()
    }

    @Test("Noise before the answer to the first reset is thrown away", arguments: 0..<8)
    func noiseFirst(seed: UInt64) async throws {
        let line = try PseudoTerminal()
        let opened = try await Opened(line.path)
        var generator = SeededGenerator(seed: seed)
        let noise = (0..<Int.random(in: 1...700, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
        // The beginning of a long packet would swallow what follows, half an answer would hide the whole one.
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

    @Test("What came before the port was opened is no part of the conversation")
    func stale() async throws {
        let line = try PseudoTerminal()
        line.send(Self.resetAnswer + [UInt8(ascii: "\n")])
        let opened = try await Opened(line.path)
        let event: [UInt8] = [0x04, 0x10, 0x01, 0x42]
        line.send(Self.resetAnswer + event)
        #expect(await opened.packets(2) == [Self.resetAnswer, event])
        try await opened.close()
    }

    @Test("A controller that is silent leaves the channel open, and may begin late")
    func silence() async throws {
        let line = try PseudoTerminal()
        let opened = try await Opened(line.path)
        try await opened.send([Self.reset])
        #expect(line.read(4) == Self.reset)
        #expect(opened.recorder.seen.value.isEmpty)
        line.send(Self.resetAnswer)
        #expect(await opened.packets(1) == [Self.resetAnswer])
        try await opened.close()
    }

    @Test("A place that is lost ends the channel; the next one on the port begins with a reset")
    func lostPlace() async throws {
        let line = try PseudoTerminal()
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

    @Test("Noise without end ends the channel")
    func noiseForever() async throws {
        let line = try PseudoTerminal()
        let opened = try await Opened(line.path)
        for _ in 0..<40 { line.send([UInt8](repeating: 0xF0, count: 512)) }
        let reason = try #require(await opened.closeReason())
        #expect(reason.contains("no packet in"))
        #expect(reason.contains("is 115200 its speed?"))
        #expect(opened.recorder.packets.isEmpty)
    }

    @Test("A line that hangs up ends the channel once, with what came before")
    func hangUp() async throws {
        let line = try PseudoTerminal()
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

    @Test("A port is one program's alone, until it is closed")
    func busy() async throws {
        let line = try PseudoTerminal()
        let opened = try await Opened(line.path)
        let error = try await Self.failure(line.path)
        #expect(error.code == .inUse)
        #expect(error.message.contains("fuser -v \(line.path)"))
        // The one that has it is not disturbed.
        line.send(Self.resetAnswer)
        #expect(await opened.packets(1) == [Self.resetAnswer])
        try await opened.close()
        // A port that is opened after a close is found closed.
        let next = try await Opened(line.path)
        line.send(Self.resetAnswer)
        #expect(await next.packets(1) == [Self.resetAnswer])
        try await next.close()
    }

    @Test("The port gets the requested speed, usual or not", arguments: [9600, 115_200, 1_000_000, 1_234_567])
    func speed(speed: Int) async throws {
        let line = try PseudoTerminal()
        let opened = try await Opened(line.path, speed: speed)
        let descriptor = Foundation.open(line.path, O_RDWR | O_NOCTTY)
        // The superuser may open what is exclusive; who is not reads the speed at the other end of the line.
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

    @Test("What is not a serial port fails with that cause")
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

    @Test("A loop that cannot wait for devices fails with that cause")
    func embedded() throws {
        let loop = EmbeddedEventLoop()
        let error = try #require(throws: TransportError.self) {
            try H4Channel.open(serialPort: "/dev/null", bitsPerSecond: 9600, on: loop).assumeIsolated().map { _ in () }
                .nonisolated().wait()
        }
        #expect(error.code == .unsupported)
    }

    @Test(
        "Each failure names its cause and what mends it, in one line",
        arguments: [
            (EBUSY, TransportError.Code.inUse, "fuser -v /dev/ttyX"), (ENXIO, .notFound, "plug the controller in"),
            (ENOENT, .notFound, "ls /dev/tty*"), (EMFILE, .failed, systemErrorText(EMFILE)),
        ]
    )
    func failures(number: CInt, code: TransportError.Code, mend: String) {
        let error = TransportError(openingSerialPort: "/dev/ttyX", errno: number)
        #expect(error.code == code)
        #expect(error.message.contains("/dev/ttyX"))
        #expect(error.message.contains(mend))
        #expect(!error.message.contains("\n"))
    }

    @Test("No permission names the group that has it, or the rule that gives it to one")
    func permission() throws {
        let inGroup = TransportError.noPermission("/dev/ttyACM0", SerialPortAccess(group: "dialout"))
        #expect(inGroup.code == .noPermission)
        #expect(inGroup.message.contains("sudo usermod -aG dialout $USER"))
        let alone = TransportError.noPermission("/dev/ttyACM0", SerialPortAccess(group: nil))
        #expect(alone.message.contains("KERNEL==\"ttyACM0\", GROUP=\"dialout\", MODE=\"0660\""))
        #expect(alone.message.contains("/etc/udev/rules.d/"))
        // A device that its group may only write, as terminals are, is nobody else's.
        let line = try PseudoTerminal()
        #expect(SerialPortAccess(line.path) == SerialPortAccess(group: nil))
    }

    @Test("A port is a group's whose members may both read and write, and which is not the superuser's")
    func group() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/tty"
        #expect(SerialPortAccess(path) == SerialPortAccess(group: nil), "there is none")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        // The superuser can give the file to another group; everybody else has one.
        let number = getgid() == 0 ? 1 : getgid()
        try #require(chown(path, getuid(), number) == 0)
        let name = try #require(getgrgid(number)).pointee.gr_name.map { String(cString: $0) }
        for (mode, isGroups) in [(0o660, true), (0o640, false), (0o620, false), (0o606, false), (0o777, true)] {
            try #require(chmod(path, mode_t(mode)) == 0)
            #expect(SerialPortAccess(path) == SerialPortAccess(group: isGroups ? name : nil), "\(mode)")
        }
        guard getuid() == 0 else { return }
        try #require(chown(path, 0, 0) == 0)
        #expect(SerialPortAccess(path) == SerialPortAccess(group: nil))
    }

    @Test(
        "A port's clock may be off by one part in 33",
        arguments: [(3300, 100), (3299, 99), (115_200, 3490), (32, 0), (33, 1), (20_000_000, 606_060)]
    )
    func clocks(speed: Int, difference: Int) {
        for real in [speed - difference, speed, speed + difference] {
            #expect(SerialPort.isSpeed(real, closeTo: speed), "\(real)")
        }
        for real in [speed - difference - 1, speed + difference + 1] {
            #expect(!SerialPort.isSpeed(real, closeTo: speed), "\(real)")
        }
    }

    @Test("A speed that the port cannot do names the one that it can")
    func wrongSpeed() {
        let error = TransportError.wrongSpeed(3_000_000, of: "/dev/ttyS0", real: 115_200)
        #expect(error.code == .unsupported)
        #expect(error.message.contains("3000000"))
        #expect(error.message.contains("@115200"))
        #expect(TransportError(settingSpeed: 1, of: "/dev/ttyS0", errno: EINVAL).code == .unsupported)
        #expect(TransportError(settingSpeed: 1, of: "/dev/ttyS0", errno: EIO).code == .failed)
    }
}

#endif
