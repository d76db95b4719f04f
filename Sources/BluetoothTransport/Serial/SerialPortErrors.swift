// The errors of opening a serial port, each with a remedy.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension TransportError {
    /// The failure to open a serial port.
    init(openingSerialPort path: String, errno number: CInt) {
        switch number {
        case ENOENT, ENOTDIR:
            self.init(.notFound, "there is no \(path): plug the controller in, or look for its name with ls /dev/tty*")
        case ENXIO, ENODEV, EIO:
            self.init(.notFound, "there is no device behind \(path): plug the controller in, or choose another port")
        case EACCES, EPERM:
            self = .noPermission(path, SerialPortAccess(path))
        case EBUSY:
            self.init(.inUse, "another program has \(path): end it; fuser -v \(path) shows which one it is")
        default:
            self.init(.failed, "cannot open \(path): \(systemErrorText(number))")
        }
        self.errorNumber = number
    }

    /// The failure to set the speed of a serial port.
    init(settingSpeed speed: Int, of path: String, errno number: CInt) {
        if number == EINVAL {
            self.init(.unsupported, "\(path) cannot do \(speed) bits per second: write a lower speed behind the @")
        } else {
            self.init(.failed, "cannot set \(path) to \(speed) bits per second: \(systemErrorText(number))")
        }
        self.errorNumber = number
    }

    /// A port that uses another speed than the requested one.
    static func wrongSpeed(_ speed: Int, of path: String, real: Int) -> TransportError {
        TransportError(
            .unsupported,
            "\(path) cannot do \(speed) bits per second, the nearest is \(real): write @\(real) if the controller can"
        )
    }

    /// A path that is not a serial port.
    static func noSerialPort(_ path: String) -> TransportError {
        TransportError(.badName, "\(path) is not a serial port: look for its name with ls /dev/tty*")
    }

    /// A port that the kernel uses as an adapter.
    static func attached(_ path: String) -> TransportError {
        TransportError(
            .inUse,
            "the kernel has \(path) as an adapter: use that one by its name, such as hci0, or end btattach"
        )
    }

    static func noPermission(_ path: String, _ access: SerialPortAccess) -> TransportError {
        let cause = "no permission for \(path): "
        if let group = access.group {
            return TransportError(
                .noPermission,
                cause + "run sudo usermod -aG \(group) $USER and log in again, as it is for the group \(group)"
            )
        }
        let device = path.split(separator: "/").last ?? ""
        return TransportError(
            .noPermission,
            cause + "put KERNEL==\"\(device)\", GROUP=\"dialout\", MODE=\"0660\" into "
                + "/etc/udev/rules.d/70-bluetooth-serial.rules, and yourself into the group dialout"
        )
    }
}

/// The users who may open a port.
struct SerialPortAccess: Hashable {
    /// The group whose members may read and write; `nil` if there is none except the superuser's.
    var group: String?
    init(group: String?) { self.group = group }

    /// Reads the device's permissions.
    init(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o060 == 0o060, status.st_gid != 0 else {
            self.init(group: nil)
            return
        }
        self.init(group: groupName(status.st_gid))
    }
}

/// The name of a group.
private func groupName(_ number: gid_t) -> String? {
    var entry = group()
    var found: UnsafeMutablePointer<group>?
    var storage = [CChar](repeating: 0, count: 16_384)
    guard getgrgid_r(number, &entry, &storage, storage.count, &found) == 0, let found else { return nil }
    return String(cString: found.pointee.gr_name)
}
