// What opening and closing a serial port do to the port itself, seen at another descriptor of it that was opened
// before: what had come is thrown away, no other program can open it, and its flow control does not hold up the close.

#if os(Linux)

import CLinuxBluetooth
import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Serial port: the state of the port", .timeLimit(.minutes(2)))
struct SerialPortStateTests {
    /// A line whose port passes on octets as they come, and is open here.
    private final class Line {
        let terminal: PseudoTerminal
        private let descriptor: CInt

        init() throws {
            self.terminal = try PseudoTerminal()
            self.descriptor = Foundation.open(self.terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            try #require(self.descriptor >= 0)
            try #require(linux_serial_configure(self.descriptor, 115_200) == 0)
        }

        deinit { Foundation.close(self.descriptor) }

        /// How many octets have come and were not read.
        var unreadCount: Int {
            var count: CInt = -1
            return ioctl(self.descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
        }

        /// Whether nobody else can open the port: `TIOCGEXCL`.
        var isExclusive: Bool? {
            var isExclusive: CInt = -1
            return ioctl(self.descriptor, 0x8004_5440, &isExclusive) == 0 ? isExclusive == 1 : nil
        }

        /// Whether the port waits for the other end's permission: `CRTSCTS`.
        var hasFlowControl: Bool? {
            var settings = termios()
            return tcgetattr(self.descriptor, &settings) == 0 ? settings.c_cflag & 0x8000_0000 != 0 : nil
        }
    }

    @Test("A whole packet that came before the port was opened is thrown away")
    func stale() async throws {
        let line = try Line()
        line.terminal.send([0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
        try await eventually { line.unreadCount == 7 }
        #expect(line.unreadCount == 7)
        let device = try SerialPort.open(line.terminal.path, speed: 115_200)
        #expect(line.unreadCount == 0)
        device.close()
    }

    @Test("A port that is opened is made exclusive")
    func exclusive() throws {
        let line = try Line()
        #expect(line.isExclusive == false)
        let device = try SerialPort.open(line.terminal.path, speed: 115_200)
        #expect(line.isExclusive == true)
        device.close()
    }

    @Test("A port has RTS/CTS flow control while it is open, and none when it is closed")
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
