// What stands between a program and a Linux adapter, and the command that takes it away.

#if os(Linux)

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension TransportError {
    /// The failure to open the user channel of an adapter.
    ///
    /// - Parameter program: The file of the running program, for the command that permits it.
    init(openingAdapter index: Int, _ step: UserChannel.Step, errno number: CInt, program: String?) {
        let name = "hci\(index)"
        switch number {
        case EAFNOSUPPORT, EPROTONOSUPPORT:
            self.init(
                .unsupported,
                "there is no Bluetooth in this kernel or this container: run sudo modprobe bluetooth, or give the "
                    + "container the network of its host"
            )
        case ENODEV:
            self.init(
                .notFound,
                "there is no adapter \(name): plug it in, or look for its name with ls /sys/class/bluetooth"
            )
        case EPERM, EACCES:
            let file = program.map(Self.quoted) ?? "PROGRAM"
            self.init(
                .noPermission,
                "no permission for \(name): run sudo setcap cap_net_admin,cap_net_raw+eip \(file), then start it again"
            )
        case EBUSY:
            self.init(
                .inUse,
                "\(name) is in use: run bluetoothctl power off, or sudo systemctl stop bluetooth, or end the program "
                    + "that has it"
            )
        case EUSERS:
            self.init(.inUse, "another program has \(name) for itself: end it")
        case ERFKILL:
            self.init(
                .inUse,
                "\(name) is switched off: run rfkill unblock bluetooth; if that does not help, look for a switch or key"
            )
        case ETIMEDOUT:
            self.init(.timedOut, "the controller of \(name) does not answer: unplug it and plug it in again")
        default:
            let doing =
                switch step {
                case .socket: "cannot make a Bluetooth socket"
                case .takeDown: "cannot take \(name) down"
                case .bind: "cannot open \(name)"
                }
            self.init(.failed, "\(doing): \(systemErrorText(number))")
        }
    }

    /// A file as a shell takes it.
    private static func quoted(_ file: String) -> String {
        let plain = file.utf8.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), 0x80...:
                true
            default: false
            }
        }
        if plain { return file }
        // A quotation mark ends the quotation, stands for itself, and begins another one.
        return "'" + file.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

#endif
