// Why a Linux adapter is unavailable to a program, and the commands that change that. The error of a program that
// cannot open an adapter and the listing of adapters have the same text, since both take it from here.

/// A reason why a Linux adapter is unavailable to a program.
public enum AdapterUnavailable: Hashable, Sendable {
    /// The radio was switched off, by a program or by hand.
    case switchedOff
    /// A switch or key of the machine has switched the radio off.
    case switchedOffByHand
    /// The system uses the adapter; the service, where it is known.
    case system(ProcessInformation?)
    /// Another program has the adapter for itself.
    case program(ProcessInformation?)
    /// The program, a file, lacks the capability.
    case noPermission(program: String?)

    /// The reason, as a clause without an end, for the adapter with a name.
    public func reason(for adapter: String) -> String {
        switch self {
        case .switchedOff: "\(adapter) is switched off"
        case .switchedOffByHand: "\(adapter) is switched off by a switch or key of this machine"
        case .system(nil): "\(adapter) is in use"
        case .system(let service?): "\(adapter) is in use by \(service)"
        case .program(nil): "another program has \(adapter) for itself"
        case .program(let program?): "\(program) has \(adapter) for itself"
        case .noPermission: "no permission for \(adapter)"
        }
    }

    /// The commands that make the adapter available, of which one is enough; empty where no command can.
    public var commands: [String] {
        switch self {
        case .switchedOff: ["rfkill unblock bluetooth"]
        case .switchedOffByHand: []
        case .system: ["bluetoothctl power off", "sudo systemctl stop bluetooth"]
        case .program(let program): program.map { ["kill \($0.number)"] } ?? []
        case .noPermission(let program):
            ["sudo setcap cap_net_admin,cap_net_raw+eip \(program.map(shellQuoted) ?? "PROGRAM")"]
        }
    }

    /// The name under which the adapter works all the same, beside the service that uses it; `nil` if there is none.
    public func otherName(of adapter: String) -> String? {
        if case .system = self { "bluez:\(adapter)" } else { nil }
    }

    /// How to make the adapter available, as words that follow a colon.
    private func remedy(for adapter: String) -> String {
        switch self {
        case .switchedOff:
            "run rfkill unblock bluetooth; if that does not help, look for a switch or key"
        case .switchedOffByHand: "switch it on there"
        case .system:
            "use it as bluez:\(adapter), beside BlueZ, or run bluetoothctl power off, or sudo systemctl stop bluetooth, "
                + "or end the program that has it"
        case .program(nil): "end it"
        case .program(let program?): "end it, with kill \(program.number)"
        case .noPermission: "run \(self.commands[0]), then start it again"
        }
    }

    /// Reason and remedy in one line.
    public func message(for adapter: String) -> String {
        "\(self.reason(for: adapter)): \(self.remedy(for: adapter))"
    }
}

/// A file as a shell takes it.
package func shellQuoted(_ file: String) -> String {
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

extension AdapterListing.Adapter {
    /// The reasons why this adapter is unavailable to a program, in the order in which they have to be removed.
    ///
    /// - Parameters:
    ///   - holders: The processes that may have an adapter.
    ///   - program: The file of the program that is to use it.
    ///   - mayUseAdapters: Whether that program has the capability; `nil` where that is not known.
    /// - Returns: The reasons; empty where the program can open the adapter.
    public func reasonsUnavailable(
        holders: AdapterHolders,
        program: String?,
        mayUseAdapters: Bool?
    ) -> [AdapterUnavailable] {
        var reasons: [AdapterUnavailable] = []
        switch self.block {
        case .none: break
        case .byProgram: reasons.append(.switchedOff)
        case .bySwitch: reasons.append(.switchedOffByHand)
        }
        if let holder = self.holder(among: holders) { reasons.append(holder) }
        if mayUseAdapters != true { reasons.append(.noPermission(program: program)) }
        return reasons
    }

    /// The process that has it: a program where the system cannot use it, the system where it can.
    private func holder(among holders: AdapterHolders) -> AdapterUnavailable? {
        let isUsedBySystem = self.isUp == true || self.isUp == nil && holders.daemon != nil
        let system: AdapterUnavailable? = isUsedBySystem ? .system(holders.daemon) : nil
        if self.isManaged == true { return system }
        if let program = holders.programs.first { return .program(program) }
        // One that the system cannot use and that is not up is free: it lacks its address or its firmware.
        let isUnseenProgram = self.isManaged == false || holders.unseenCount > 0
        return isUnseenProgram && self.isUp != false ? .program(nil) : system
    }
}
