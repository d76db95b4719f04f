// The report of `corebluetooth adapters`, as lines and as JSON.

import BluetoothAirService
import BluetoothTransport
import CommandLineTool

/// The adapters of a machine, what blocks them, and the user's own air.
struct AdapterReport {
    var listing: AdapterListing
    var holders: AdapterHolders
    /// The executable that is to use an adapter.
    var program: String?
    /// Whether the executable has the capability.
    var mayUseAdapters: Bool?
    /// Whether it finds libraries by `LD_LIBRARY_PATH`, which the loader ignores for a program with capabilities.
    var usesLibraryPath = false
    /// The user's own air.
    var air: UserAirStatus?

    // MARK: Lines

    /// The report for a person.
    var lines: [String] {
        var lines: [String] = []
        if listing.adapters.isEmpty {
            lines.append("no Linux adapter: plug one in, or run sudo modprobe bluetooth;")
            lines.append("    a container needs the network of its host (--net=host) to see one")
        }
        for adapter in listing.adapters {
            lines.append(Self.row(adapter))
            let obstacles = self.obstacles(adapter)
            if obstacles.isEmpty { lines.append("    ready: --adapter \(adapter.name)") }
            for obstacle in obstacles { lines += paragraph(obstacle, adapter) }
        }
        for radio in listing.radioSwitches where radio.block != .none {
            let obstacle: AdapterUnavailable = radio.block == .byProgram ? .switchedOff : .switchedOffByHand
            lines += [obstacle.reason(for: "Bluetooth (\(radio.name))")] + obstacle.commands.map { "    " + $0 }
        }
        lines.append("air     \(airWords)")
        return lines
    }

    private static func row(_ adapter: AdapterListing.Adapter) -> String {
        let name = adapter.name.description
        var row = name + String(repeating: " ", count: max(1, 8 - name.count))
        row += adapter.address?.description ?? "no address yet"
        row += "  " + Self.state(adapter)
        row += "  " + [adapter.bus, adapter.driver, adapter.product].compactMap(\.self).joined(separator: ", ")
        return row
    }

    private static func state(_ adapter: AdapterListing.Adapter) -> String {
        guard adapter.block == .none else { return "blocked" }
        return switch adapter.isUp {
        case true?: "up"
        case false?: "down"
        case nil: "unknown"
        }
    }

    private func paragraph(_ obstacle: AdapterUnavailable, _ adapter: AdapterListing.Adapter) -> [String] {
        let reason = "    " + obstacle.reason(for: adapter.name.description)
        switch obstacle.commands.count {
        case 0 where obstacle == .program(nil): return [reason + "; to see which one, run this command with sudo"]
        case 0: return [reason + "; no command can change that"]
        case 1: return [reason + "; to change that, run", "        " + obstacle.commands[0]] + libraries(obstacle)
        default:
            let other = obstacle.otherName(of: adapter.name.description)
            let beside = other.map { "; beside it works --adapter \($0)" } ?? ""
            return [reason + beside, "    to change that, run one of"] + obstacle.commands.map { "        " + $0 }
        }
    }

    private func libraries(_ obstacle: AdapterUnavailable) -> [String] {
        guard case .noPermission = obstacle, usesLibraryPath else { return [] }
        return [
            "    then it looks no longer for libraries in LD_LIBRARY_PATH, where it has found some: build it with",
            "        swift build --static-swift-stdlib",
        ]
    }

    private var airWords: String {
        guard let air else { return "your own air: there is no folder for it" }
        guard air.isServed else { return "your own air: nobody serves it now; the first program that needs it does" }
        let server = air.server?.description ?? "another process"
        guard air.isSuspended else { return "your own air, served by \(server)" }
        return "your own air, served by \(server), which is suspended: continue it with fg"
            + (air.server.map { " or kill -CONT \($0.number)" } ?? "")
    }

    private func obstacles(_ adapter: AdapterListing.Adapter) -> [AdapterUnavailable] {
        adapter.reasonsUnavailable(holders: holders, program: program, mayUseAdapters: mayUseAdapters)
    }

    // MARK: JSON

    /// The report for a program: an object for each adapter, then one for the air.
    var objects: [JSONValue] {
        listing.adapters.map(self.object) + [airObject]
    }

    private func object(_ adapter: AdapterListing.Adapter) -> JSONValue {
        let obstacles = self.obstacles(adapter)
        let name = adapter.name.description
        return .object([
            ("adapter", .string(name)), ("address", JSONValue(adapter.address?.description)),
            ("bus", .string(adapter.bus)), ("driver", JSONValue(adapter.driver)),
            ("product", JSONValue(adapter.product)), ("up", adapter.isUp.map { .bool($0) } ?? .null),
            ("block", .string(Self.word(adapter.block))), ("ready", .bool(obstacles.isEmpty)),
            ("holder", self.holder(obstacles)),
            (
                "obstacles",
                .array(
                    obstacles.map { obstacle in
                        .object([
                            ("reason", .string(obstacle.reason(for: name))),
                            ("commands", .array(obstacle.commands.map { .string($0) })),
                        ])
                    }
                )
            ),
        ])
    }

    private var airObject: JSONValue {
        .object([
            ("adapter", "air"), ("served", .bool(air?.isServed ?? false)),
            ("holder", air?.server.map(Self.value) ?? .null), ("suspended", .bool(air?.isSuspended ?? false)),
            ("socket", JSONValue(air?.socket)),
        ])
    }

    private func holder(_ obstacles: [AdapterUnavailable]) -> JSONValue {
        for case .program(let program?) in obstacles { return Self.value(program) }
        for case .system(let service?) in obstacles { return Self.value(service) }
        return .null
    }

    private static func value(_ process: ProcessInformation) -> JSONValue {
        .object([("process", .integer(process.number)), ("name", JSONValue(process.name))])
    }

    private static func word(_ block: AdapterListing.Block) -> String {
        switch block {
        case .none: "none"
        case .byProgram: "program"
        case .bySwitch: "switch"
        }
    }
}
