// Reasons why a Linux adapter is unavailable, and the commands that make it available. The error of a program that
// cannot open an adapter and the listing of adapters both take their text from here.

/// A reason why a Linux adapter is unavailable to a program.
public enum AdapterUnavailable: Hashable, Sendable {
    /// The radio was switched off, by a program or by hand.
    case switchedOff
    /// The radio was switched off by a switch or key of the machine.
    case switchedOffByHand
    /// The system uses the adapter; the service, if it is known.
    case system(ProcessInformation?)
    /// Another program uses the adapter exclusively.
    case program(ProcessInformation?)
    /// The program, the path of a file, lacks the capability.
    case noPermission(program: String?)

    /// The reason for the adapter with a name, as a clause without punctuation.
    package func reason(for adapter: String) -> String {
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

    /// Alternative commands that make the adapter available; empty if no command can.
    package var commands: [String] {
        switch self {
        case .switchedOff: ["rfkill unblock bluetooth"]
        case .switchedOffByHand: []
        case .system: ["bluetoothctl power off", "sudo systemctl stop bluetooth"]
        case .program(let program): program.map { ["kill \($0.number)"] } ?? []
        case .noPermission(let program):
            ["sudo setcap cap_net_admin,cap_net_raw+eip \(program.map(shellQuoted) ?? "PROGRAM")"]
        }
    }

    /// The name under which the adapter can be used beside the service that uses it; `nil` if there is none.
    package func otherName(of adapter: String) -> String? {
        if case .system = self { Self.besideBlueZ(adapter) } else { nil }
    }

    private static func besideBlueZ(_ adapter: String) -> String { "bluez:\(adapter)" }

    /// How to make the adapter available, for use after a colon.
    private func remedy(for adapter: String) -> String {
        switch self {
        case .switchedOff:
            "run rfkill unblock bluetooth; if that does not help, look for a switch or key"
        case .switchedOffByHand: "switch it on there"
        case .system:
            "use it as \(Self.besideBlueZ(adapter)), beside BlueZ, or run bluetoothctl power off, "
                + "or sudo systemctl stop bluetooth, or end the program that has it"
        case .program(nil): "end it"
        case .program(let program?): "end it, with kill \(program.number)"
        case .noPermission: "run \(self.commands[0]), then start it again"
        }
    }

    /// Reason and remedy in one line.
    package func message(for adapter: String) -> String {
        "\(self.reason(for: adapter)): \(self.remedy(for: adapter))"
    }
}

/// A path quoted for a shell.
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
    // A quotation mark ends the quotation, is escaped, and begins another one.
    return "'" + file.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

extension AdapterListing.Adapter {
    /// The reasons why this adapter is unavailable to a program, in the order in which they have to be resolved.
    ///
    /// - Parameters:
    ///   - holders: The processes that may use an adapter.
    ///   - program: The path of the program.
    ///   - mayUseAdapters: Whether that program has the capability; `nil` if unknown.
    /// - Returns: The reasons; empty if the program can open the adapter.
    package func reasonsUnavailable(
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

    /// The process that uses the adapter: a program if the system cannot use it, otherwise the system.
    private func holder(among holders: AdapterHolders) -> AdapterUnavailable? {
        let isUsedBySystem = self.isUp == true || self.isUp == nil && holders.daemon != nil
        let system: AdapterUnavailable? = isUsedBySystem ? .system(holders.daemon) : nil
        if self.isManaged == true { return system }
        if let program = holders.programs.first { return .program(program) }
        // An adapter that the system cannot use and that is down is free: it lacks its address or its firmware.
        let isUnseenProgram = self.isManaged == false || holders.unseenCount > 0
        return isUnseenProgram && self.isUp != false ? .program(nil) : system
    }
}
