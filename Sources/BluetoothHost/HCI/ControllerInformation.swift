// What a controller said of itself while it was started. Features, buffer sizes and supported commands are read, never
// assumed.

import BluetoothHCI
import BluetoothTypes

/// The abilities of a controller.
struct ControllerInformation {
    /// What it is; `nil` where it did not say.
    var version: ReadLocalVersionInformation.ReturnParameters?
    /// The features of both radios together; `nil` where it did not say.
    var linkManagerFeatures: LMPFeatures?
    /// The public address as it was read.
    var address = DeviceAddress.none
    /// The public address, where it has one of its own.
    var publicAddress: DeviceAddress? { self.address.isPlaceholder ? nil : self.address }
    /// Its LE features.
    var features = LEFeatures()
    /// The commands that it knows; `nil` where it did not say, and then all are tried.
    var supportedCommands: SupportedCommands? {
        didSet {
            // Every controller knows Reset: a list without it says nothing.
            if self.supportedCommands?.contains(Reset.self) == false { self.supportedCommands = nil }
        }
    }

    /// Whether it may have Bluetooth LE, as far as it tells.
    var mayHaveLE: Bool {
        if let features = self.linkManagerFeatures { return features.contains(.leSupported) }
        return self.version.map { $0.hciVersion.rawValue >= CoreVersion.v4_0.rawValue } ?? true
    }

    /// Whether it also has BR/EDR, and does nothing for LE until it is told that the host does.
    var isDualMode: Bool {
        guard let features = self.linkManagerFeatures else { return false }
        return features.contains(.leSupported) && !features.contains(.bredrNotSupported)
    }

    /// Whether it has told nothing of itself but its version, as a boot loader that knows Reset.
    var isSilent: Bool {
        self.supportedCommands == nil && self.linkManagerFeatures == nil && self.address == .none
    }

    /// Whether a command that can be done without is worth trying.
    func knows(_ command: any HCICommand.Type) -> Bool { self.supportedCommands?.contains(command) ?? true }
    /// How many octets an outgoing ACL data packet may carry behind its header.
    var aclDataLength = 27
    /// How many outgoing ACL data packets it can hold.
    var aclPacketCount = 1
    /// Whether it knows how much data the host takes at a time.
    var knowsHostBuffers = false
    /// How many devices its filter accept list holds.
    var acceptListSize = 0
    /// How many devices its resolving list holds; 0 where it has none.
    var resolvingListSize = 0
}
