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
    /// The tolerance of a port's clock: one part in this many.
    private static let speedTolerance = 33

    /// Opens the port for H4, which can take a moment.
    ///
    /// - Throws: ``TransportError`` with one line that names the cause.
    static func open(_ path: String, speed: Int) throws(TransportError) -> DeviceDescriptor {
        var status = stat()
        guard stat(path, &status) == 0 else { throw TransportError(openingSerialPort: path, errno: errno) }
        // Opening something else, such as a watchdog or a pipe, could have side effects.
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
        // Discard octets of an earlier session.
        tcflush(number, TCIFLUSH)
        // Only now, since before the lock the port may belong to another process.
        return DeviceDescriptor(owning: try device.copy()) { Self.prepareToClose($0) }
    }

    /// Whether a port's real speed is close enough to the requested one.
    static func isSpeed(_ real: Int, closeTo speed: Int) -> Bool { abs(real - speed) <= speed / Self.speedTolerance }

    #if os(Linux)
    private static func configure(_ device: DeviceDescriptor, path: String, speed: Int) throws(TransportError) {
        let number = device.number
        var isAttached = false
        guard linux_serial_is_attached(number, &isAttached) == 0, !isAttached else { throw .attached(path) }
        let failure = linux_serial_configure(number, UInt32(clamping: speed))
        guard failure == 0 else { throw TransportError(settingSpeed: speed, of: path, errno: failure) }
        var real: UInt32 = 0
        // A port that does not support the speed silently uses another one.
        guard linux_serial_get_speed(number, &real) == 0,
            Self.isSpeed(Int(real), closeTo: speed)
        else { throw .wrongSpeed(speed, of: path, real: Int(real)) }
        // A failure does not matter: the lock excludes our own programs.
        _ = linux_serial_make_exclusive(number)
    }

    /// Sends the remaining octets even if the controller does not listen, so that closing does not block.
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
