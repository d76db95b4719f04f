// The kind of a virtual controller: how it identifies itself, its resources, and what it rejects.
// `ControllerModel+Presets.swift` has the kinds that people own.

package import BluetoothHCI
package import BluetoothTypes
package import NIOCore

/// The kind of a controller: the values that a host reads, its resources, and its faults.
public struct ControllerModel: Hashable, Sendable {
    /// Its usual name.
    package var name = "virtual controller"

    // MARK: Identification

    /// The version of HCI and of the link layer.
    package var version = CoreVersion.v5_4
    /// The revision of HCI.
    package var revision: UInt16 = 0x0001
    /// The company identifier of its maker; initially that of no company.
    package var company: UInt16 = 0xFFFF
    /// The subversion of the link layer.
    package var subversion: UInt16 = 0x0001
    /// Whether it claims BR/EDR, which is not implemented.
    package var isDualMode = false
    /// The commands that it lists. It rejects others with Unknown HCI Command.
    package var commands = Controller.supportedCommands
    /// The features of its link layer, without LL Privacy if ``resolvingListSize`` is 0.
    package var features = Controller.features
    /// The states that it claims (Vol 4, Part E, 7.8.27); ``excludedRoles`` has what it rejects.
    package var states = LEStates.all
    /// Its public address; `nil` for one that the air assigns.
    package var address: DeviceAddress?

    // MARK: Resources

    /// The longest ACL data packet that it accepts from its host, in octets after the header: 27 to 1,024.
    package var aclDataPacketLength = Int(DataPacketLimits.maximumOctets)
    /// The number of such packets that it buffers: 1 to 255.
    package var aclDataPacketCount = 64
    /// Whether these buffers are shared with BR/EDR, so that only Read Buffer Size reports them.
    package var sharesBuffers = false
    /// The maximum number of links: 1 to 1,024.
    package var maximumLinkCount = 128
    /// The number of commands that a host may send before it has to wait for an answer: 1 to 255.
    package var commandCredits = 4
    /// The size of the filter accept list: 1 to 255.
    package var filterAcceptListSize = 64
    /// The size of the resolving list: 1 to 255, or 0 for a controller that resolves no private addresses.
    package var resolvingListSize = 64
    /// The number of its advertising sets: 1 to 240.
    package var advertisingSetCount = 16
    /// The maximum octets of advertising data in a set: 31 to 1,650.
    package var maximumAdvertisingDataLength = AdvertisingDataLimits.extended
    /// The handle of its first link: 0x0000 to 0x0EFF.
    package var firstHandle: UInt16 = 0x0040

    // MARK: Restrictions and faults

    /// Combinations of roles that it rejects with Command Disallowed.
    package var excludedRoles: [Roles] = []
    /// Commands that it lists but rejects with Unknown HCI Command.
    package var refusedCommands: Set<HCIOpcode> = []
    /// Commands that it never answers.
    package var unansweredCommands: Set<HCIOpcode> = []
    /// The time in which it answers HCI Reset.
    package var resetDelay = TimeAmount.zero
    /// The delay of events with respect to data, as over USB, where they come from two endpoints.
    package var eventDelay = TimeAmount.zero
    /// Its other faults.
    package var quirks: Quirks = []

    /// Creates a large modern controller without faults.
    public init() {}

    /// Roles of a radio that may exclude each other.
    package struct Roles: OptionSet, Hashable, Sendable {
        /// The bits.
        package let rawValue: UInt8

        /// A set from its bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Advertising of every kind.
        package static let advertising = Roles(rawValue: 1 << 0)
        /// Scanning, passive and active.
        package static let scanning = Roles(rawValue: 1 << 1)
        /// Initiating.
        package static let initiating = Roles(rawValue: 1 << 2)
        /// Links as central.
        package static let central = Roles(rawValue: 1 << 3)
        /// Links as peripheral.
        package static let peripheral = Roles(rawValue: 1 << 4)
    }

    /// Faults of a controller.
    package struct Quirks: OptionSet, Hashable, Sendable {
        /// The bits.
        package let rawValue: UInt8

        /// A set from its bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Its first link as central is reported and then ends with Connection Failed to be Established.
        package static let firstLinkFails = Quirks(rawValue: 1 << 0)
        /// It reports nothing while it scans passively.
        package static let reportsActiveScansOnly = Quirks(rawValue: 1 << 1)
        /// It sends a vendor event after each HCI Reset.
        package static let vendorEvents = Quirks(rawValue: 1 << 2)
        /// It rejects LE Set Extended Scan Parameters while it has a link.
        package static let refusesExtendedScanWithLinks = Quirks(rawValue: 1 << 3)
        /// It accepts a mix of legacy and extended commands, which others reject (Vol 4, Part E, 3.1.1).
        package static let mixesCommandFamilies = Quirks(rawValue: 1 << 4)
        /// It accepts the extended commands of advertising, scanning and initiating, and ignores them.
        package static let ignoresExtendedCommands = Quirks(rawValue: 1 << 5)
    }

    /// The model with every number clamped to its range.
    var clamped: ControllerModel {
        func clamp(_ value: Int, _ range: ClosedRange<Int>) -> Int {
            min(max(value, range.lowerBound), range.upperBound)
        }
        var result = self
        result.aclDataPacketLength = clamp(self.aclDataPacketLength, 27...1_024)
        result.aclDataPacketCount = clamp(self.aclDataPacketCount, 1...255)
        result.maximumLinkCount = clamp(self.maximumLinkCount, 1...1_024)
        result.commandCredits = clamp(self.commandCredits, 1...255)
        result.filterAcceptListSize = clamp(self.filterAcceptListSize, 1...255)
        result.resolvingListSize = clamp(self.resolvingListSize, 0...255)
        result.advertisingSetCount = clamp(self.advertisingSetCount, 1...240)
        result.maximumAdvertisingDataLength = clamp(
            self.maximumAdvertisingDataLength,
            AdvertisingDataLimits.legacy...AdvertisingDataLimits.extended
        )
        result.firstHandle = min(self.firstHandle, AirLinkTable.endOfHandles - 1)
        if result.resolvingListSize == 0 { result.features.subtract(.privacy) }
        return result
    }
}

// MARK: Derived values

extension ControllerModel {
    /// The result of LE Read Buffer Size; zero if the buffers are shared (Vol 4, Part E, 7.8.2).
    var leBuffers: (length: UInt16, count: UInt8) {
        self.sharesBuffers ? (0, 0) : (UInt16(self.aclDataPacketLength), UInt8(self.aclDataPacketCount))
    }

    /// The maximum length of a link layer packet in both directions.
    var maximumDataLength: DataLength {
        self.features.contains(.dataPacketLengthExtension) ? .maximum : .initial
    }

    /// Its PHYs.
    var phys: PHYSet {
        var phys = PHYSet.le1M
        if self.features.contains(.phy2M) { phys.insert(.le2M) }
        if self.features.contains(.phyCoded) { phys.insert(.leCoded) }
        return phys
    }

    /// The version that it sends to peers.
    var peerVersion: PeerVersion {
        PeerVersion(version: self.version, company: self.company, subversion: self.subversion)
    }
}

extension ControllerModel: CustomStringConvertible {
    /// The name.
    public var description: String { self.name }
}
