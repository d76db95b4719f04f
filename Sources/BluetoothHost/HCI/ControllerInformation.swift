// What a controller said of itself while it was started. Features, buffer sizes and supported commands are read, never
// assumed.

package import BluetoothHCI
package import BluetoothTypes

/// The abilities of a controller.
package struct ControllerInformation {
    /// What it is; `nil` where it did not say.
    package var version: ReadLocalVersionInformation.ReturnParameters?
    /// The features of both radios together; `nil` where it did not say.
    package var linkManagerFeatures: LMPFeatures?
    /// The public address as it was read; `nil` where it did not say.
    package var address: DeviceAddress?
    /// The commands that it knows; `nil` where it did not say, and then all are tried.
    package var supportedCommands: SupportedCommands? {
        didSet {
            // Every controller knows Reset: a list without it says nothing.
            if self.supportedCommands?.contains(Reset.self) == false { self.supportedCommands = nil }
        }
    }
    /// Its LE features.
    var features = LEFeatures()
    /// The number of octets that an outgoing ACL data packet may carry behind its header.
    var aclDataLength = 27
    /// The number of outgoing ACL data packets that it can hold.
    var aclPacketCount = 1
    /// Whether it knows how much data the host takes at a time.
    var knowsHostBuffers = false
    /// Whether it waits with data until the host has finished with what came before.
    var limitsReceivedData = false
    /// The number of devices that its filter accept list holds.
    var acceptListSize = 0
    /// The number of devices that its resolving list holds; 0 if it has none.
    var resolvingListSize = 0
    /// What it says that it can do at the same time.
    var states: LEStates?
    /// What it takes of the extended commands.
    var extendedCommands = ExtendedCommands()

    /// Nothing is known yet.
    package init() {}

    /// The public address, where it has one of its own.
    var publicAddress: DeviceAddress? { self.address.flatMap { $0.isPlaceholder ? nil : $0 } }

    /// Whether it has Bluetooth LE, as far as it tells by another way than its LE features.
    package var hasLE: Bool? {
        if let features = self.linkManagerFeatures { return features.contains(.leSupported) }
        return self.version.flatMap { $0.hciVersion.rawValue < CoreVersion.v4_0.rawValue ? false : nil }
    }

    /// Whether it also has BR/EDR, and does nothing for LE until it is told that the host does.
    var isDualMode: Bool {
        guard let features = self.linkManagerFeatures else { return false }
        return features.contains(.leSupported) && !features.contains(.bredrNotSupported)
    }

    /// Whether it has told nothing of itself but its version, as a boot loader that knows Reset.
    package var tellsNothing: Bool {
        self.hasLE == nil && self.supportedCommands == nil && (self.address ?? DeviceAddress.none) == DeviceAddress.none
    }

    /// Whether a command that can be done without is worth trying.
    func knows(_ command: any HCICommand.Type) -> Bool { self.supportedCommands?.contains(command) ?? true }

    /// What a person does about a chip without its firmware, which has said this of itself if it has said anything.
    package static func firmwareAdvice(for version: ReadLocalVersionInformation.ReturnParameters?) -> String {
        let files = version?.firmwareFiles.map { " with \($0)" } ?? ""
        return "install the firmware package of your system, such as linux-firmware\(files), "
            + "then unplug it and plug it in again"
    }
}
