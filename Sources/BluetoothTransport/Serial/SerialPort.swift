// Opens a serial port for H4 (Vol 4, Part A, 2): eight bits, no parity, one stop bit, RTS/CTS flow control, and the
// speed that its controller uses.

#if os(Linux)
import CPlatform
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Opens serial ports.
enum SerialPort {
    /// By how much a port's clock may be off before octets are lost: one part in this many.
    private static let speedTolerance = 33

    /// Opens the port, ready for H4; can take a moment.
    ///
    /// - Throws: ``TransportError`` with one line that names the cause.
    static func open(_ path: String, speed: Int) throws(TransportError) -> DeviceDescriptor {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TransportError(openingSerialPort: path, errno: errno) }
        // To open something else, such as a watchdog or a pipe, could do more than fail.
        guard status.st_mode & S_IFMT == S_IFCHR else { throw .noSerialPort(path) }
        let number = systemOpen(path)
        guard number >= 0 else { throw TransportError(openingSerialPort: path, errno: errno) }
        let device = DeviceDescriptor(owning: number)
        guard isatty(number) == 1 else { throw .noSerialPort(path) }
        let failure = FileLock.failureToLock(number)
        guard failure == 0 else {
            throw TransportError(openingSerialPort: path, errno: failure == EWOULDBLOCK ? EBUSY : failure)
        }
        try Self.configure(device, path: path, speed: speed)
        // What lies there from before is no part of this conversation.
        tcflush(number, TCIFLUSH)
        // Only now, since the port may have belonged to another process before.
        return DeviceDescriptor(owning: try device.copy()) { Self.prepareToClose($0) }
    }

    /// Whether octets arrive whole although a port has not quite the speed that was asked for.
    static func isSpeed(_ real: Int, closeTo speed: Int) -> Bool { abs(real - speed) <= speed / Self.speedTolerance }

    #if os(Linux)
    private static func configure(_ device: DeviceDescriptor, path: String, speed: Int) throws(TransportError) {
        let number = device.number
        var isAttached = false
        guard linux_serial_is_attached(number, &isAttached) == 0, !isAttached else { throw .attached(path) }
        let failure = linux_serial_configure(number, UInt32(clamping: speed))
        guard failure == 0 else { throw TransportError(settingSpeed: speed, of: path, errno: failure) }
        var real: UInt32 = 0
        // A port that cannot do the speed takes one that it can, without a word.
        guard linux_serial_get_speed(number, &real) == 0,
            Self.isSpeed(Int(real), closeTo: speed)
        else { throw .wrongSpeed(speed, of: path, real: Int(real)) }
        // Where it is not known it does not matter: the lock keeps our own programs out.
        _ = linux_serial_make_exclusive(number)
    }

    /// What has not left yet leaves now, whether the controller listens or not, so that the close has an end.
    private static func prepareToClose(_ number: CInt) { _ = linux_serial_stop_flow_control(number) }
    #else
    private static func configure(_ device: DeviceDescriptor, path: String, speed: Int) throws(TransportError) {
        let number = device.number
        var settings = termios()
        guard tcgetattr(number, &settings) == 0 else { throw .noSerialPort(path) }
        cfmakeraw(&settings)
        settings.c_iflag = tcflag_t(IGNBRK)
        settings.c_cflag = tcflag_t(CS8 | CREAD | CLOCAL | CRTSCTS)
        guard cfsetspeed(&settings, speed_t(speed)) == 0, tcsetattr(number, TCSANOW, &settings) == 0 else {
            throw TransportError(settingSpeed: speed, of: path, errno: errno)
        }
        _ = ioctl(number, UInt(TIOCEXCL))
    }

    private static func prepareToClose(_ number: CInt) { tcflush(number, TCOFLUSH) }
    #endif
}

private func systemOpen(_ path: String) -> CInt { open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) }
