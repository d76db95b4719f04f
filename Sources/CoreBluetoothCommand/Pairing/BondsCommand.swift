// `corebluetooth bonds`: lists the stored pairings, and removes one.

import ArgumentParser
import BluetoothHost
import CommandLineTool
import CoreBluetooth
import Foundation

/// The command `corebluetooth bonds`.
struct BondsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bonds",
        abstract: "List the devices with which this user's devices have paired, and remove such a pairing.",
        discussion: """
            If one side of a pairing has lost its keys, the connection ends with "Peer removed pairing information": \
            "bonds remove" removes the keys on this side, and the next connection pairs anew.
            """,
        subcommands: [List.self, Remove.self],
        defaultSubcommand: List.self
    )
}

/// The owner of bonds.
struct BondOwnerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The owner: an identity such as alice or \"eightball 2\", or the address of an adapter. (default: all)",
            valueName: "name"
        )
    )
    var identity: String?

    @Option(help: ArgumentHelp("List the system's pairings: bluez.", valueName: "adapter"))
    var adapter: String?

    func validate() throws {
        guard let adapter, adapter != "bluez" else { return }
        throw ValidationError("\(PrintableText.quoted(adapter)) keeps no pairings of its own: name bluez, or none")
    }

    /// The stored bonds of this owner, or of all.
    func bonds() throws -> [StoredBond] {
        let bonds: [StoredBond]
        do { bonds = try adapter == nil ? StoredBonds.all() : StoredBonds.ofSystem() } catch {
            throw Failure("cannot read the bonds: \(error)")
        }
        return owned(bonds)
    }

    /// The bonds among these that belong to the owner.
    func owned(_ bonds: [StoredBond]) -> [StoredBond] {
        guard let identity else { return bonds }
        return bonds.filter { $0.ownerName == identity || $0.owner.description == identity.uppercased() }
    }
}

extension StoredBond {
    /// The owner, in a sentence.
    var ownerText: String { ownerName.map(PrintableText.text) ?? owner.description }

    /// The other device in a sentence.
    var peerText: String { name.map(PrintableText.quoted) ?? identifier?.uuidString ?? peer.description }

    /// For a JSON object.
    var details: [(key: String, value: JSONValue)] {
        [
            ("owner", JSONValue(ownerName)), ("ownerAddress", .string(owner.description)), ("name", JSONValue(name)),
            ("identifier", JSONValue(identifier?.uuidString)), ("address", .string(peer.description)),
            ("addressKind", .string(peer.isRandom ? "random" : "public")),
            ("security", JSONValue(key.map { SecurityText.name($0.level) })),
            ("secureConnections", key.map { .bool($0.isSecureConnections) } ?? .null),
            ("keySize", key.map { .integer($0.size) } ?? .null), ("paired", JSONValue(paired?.ISO8601Format())),
            ("lastUsed", JSONValue(lastUsed?.ISO8601Format())),
        ]
    }

    /// When the devices paired, and when the bond was last used, in the time of this machine.
    var datesText: String {
        func text(_ date: Date) -> String {
            let zone = TimeZone.current
            let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: zone)
            return String(style.year().month().day().time(includingFractionalSeconds: false).format(date).prefix(16))
        }
        guard let paired else { return "" }
        guard let lastUsed else { return "  \(text(paired))" }
        return "  \(text(paired)), used \(text(lastUsed))"
    }

    /// Whether a text on the command line names it.
    func matches(_ query: DeviceQuery) -> Bool {
        peer.description == query.text.uppercased() || query.matches(name: name, identifier: identifier)
    }
}

/// The headings of a list of pairings: each owner's, above the first of its own.
struct OwnerHeadings {
    private var owner: String?

    /// The heading above a pairing of an owner; `nil` after the owner's first pairing.
    mutating func heading(of owner: String) -> String? {
        guard owner != self.owner else { return nil }
        self.owner = owner
        return "\(owner):"
    }
}

extension BondsCommand {
    /// The command `corebluetooth bonds list`.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the pairings.",
            discussion: """
                --show-keys prints the long term keys (LTK), identity resolving keys (IRK) and signature resolving \
                keys (CSRK), as the nRF Sniffer's toolbar in Wireshark takes them: the most significant octet first. \
                Who has them can read the connections of the two devices, recorded ones too, and pretend to be either.
                """
        )

        @OptionGroup var owner: BondOwnerOptions

        @Flag(help: "Print the keys, for Wireshark. They are secret: keep them out of logs and reports.")
        var showKeys = false

        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard showKeys, owner.adapter != nil else { return }
            throw ValidationError("The system does not give its keys out; root finds them in /var/lib/bluetooth.")
        }

        func run() throws { Self.show(try owner.bonds(), output.format, showsKeys: showKeys) }

        /// Prints bonds, each below its owner.
        static func show(_ bonds: [StoredBond], _ output: OutputFormat, showsKeys: Bool = false) {
            var headings = OwnerHeadings()
            if bonds.isEmpty, !output.isJSON { output.write("no pairing is kept") }
            for bond in bonds {
                if !output.isJSON, let heading = headings.heading(of: bond.ownerText) { output.write(heading) }
                let identifier = bond.identifier.map { "  \($0.uuidString)" } ?? ""
                output.print(
                    "bond",
                    bond.details + (showsKeys ? bond.keyDetails : []),
                    line: "  \(bond.peerText)\(bond.name == nil ? "" : identifier)  \(bond.peer)"
                        + "\(bond.datesText)\(bond.key.map { "  " + SecurityText.text($0) } ?? "")"
                        + (showsKeys ? bond.keyLines.map { "\n    " + $0 }.joined() : "")
                )
            }
        }
    }

    /// The command `corebluetooth bonds remove`.
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove the pairing with a device.",
            discussion: "A program that runs and has the pairing forgets it with its next connection."
        )

        @Argument(
            help: "The other device: its name, its identifier or the beginning of that, or its address.",
            completion: .knownDevices
        )
        var device: String

        @OptionGroup var owner: BondOwnerOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let bond = try bond(among: try owner.bonds())
            do { try StoredBonds.remove(bond) } catch { throw Failure("cannot remove the pairing: \(error)") }
            Self.show(removed: bond, output.format)
        }

        /// The bond that a text names.
        ///
        /// - Throws: ``Failure`` if there is none, or several.
        func bond(among all: [StoredBond]) throws -> StoredBond {
            let query = DeviceQuery(device)
            let bonds = all.filter { $0.matches(query) }
            let name = PrintableText.quoted(device)
            guard let bond = bonds.first else {
                let whose = owner.identity.map { " of \(PrintableText.quoted($0))" } ?? ""
                throw Failure("there is no pairing\(whose) with \(name); corebluetooth bonds lists all")
            }
            guard bonds.count == 1 else {
                let all = bonds.map { "\($0.peer) of \($0.ownerText)" }.joined(separator: ", ")
                throw Failure("several pairings are with \(name): \(all); name one by --identity or by its address")
            }
            return bond
        }

        /// Prints that a bond was removed.
        static func show(removed bond: StoredBond, _ output: OutputFormat) {
            output.print(
                "removed",
                bond.details,
                line: "removed the pairing of \(bond.ownerText) with \(bond.peerText)"
            )
        }
    }
}
