// The errors of opening a Linux adapter, each with the command that helps.

#if os(Linux)

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension TransportError {
    /// The failure to open the user channel of an adapter.
    ///
    /// - Parameters:
    ///   - program: The path of the running program, for the command that grants the capability.
    ///   - holders: The processes that may use the adapter.
    ///   - isManaged: Whether the system can use the adapter, so that no program uses it exclusively.
    init(
        openingAdapter index: Int,
        _ step: UserChannel.Step,
        errno number: CInt,
        program: String?,
        holders: AdapterHolders = AdapterHolders(),
        isManaged: Bool? = nil
    ) {
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
            self.init(.noPermission, AdapterUnavailable.noPermission(program: program).message(for: name))
        case EBUSY where isManaged ?? (holders.programs.isEmpty && holders.unseenCount == 0):
            self.init(.inUse, AdapterUnavailable.system(holders.daemon).message(for: name))
        case EBUSY, EUSERS:
            self.init(.inUse, AdapterUnavailable.program(holders.programs.first).message(for: name))
        case ERFKILL:
            self.init(.inUse, AdapterUnavailable.switchedOff.message(for: name))
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
        self.errorNumber = number
    }
}

#endif
