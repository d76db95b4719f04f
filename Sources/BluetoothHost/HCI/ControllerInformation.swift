// The properties that a controller reported during setup. Features, buffer sizes and supported commands are read, never
// assumed.

package import BluetoothHCI
package import BluetoothTypes

/// The properties of a controller.
package struct ControllerInformation {
    /// Its version; `nil` if it did not report it.
    package var version: ReadLocalVersionInformation.ReturnParameters?
    /// Its BR/EDR and common features; `nil` if it did not report them.
    package var linkManagerFeatures: LMPFeatures?
    /// The public address as read; `nil` if it did not report one.
    package var address: DeviceAddress?
    /// The supported commands; `nil` if it did not report them, so that all are tried.
    package var supportedCommands: SupportedCommands? {
        didSet {
            // Every controller supports Reset: a list without it is meaningless.
            if self.supportedCommands?.contains(Reset.self) == false { self.supportedCommands = nil }
        }
    }
    /// Its LE features.
    var features = LEFeatures()
    /// The largest data length of an outgoing ACL data packet.
    var aclDataLength = 27
    /// The number of its buffers for outgoing ACL data packets.
    var aclPacketCount = 1
    /// Whether it was told the host's buffer sizes.
    var knowsHostBuffers = false
    /// Whether it holds back data until the host has completed earlier packets.
    var limitsReceivedData = false
    /// The capacity of its filter accept list.
    var acceptListSize = 0
    /// The capacity of its resolving list; 0 if it has none.
    var resolvingListSize = 0
    /// The state combinations that it claims to support.
    var states: LEStates?
    /// The use of its extended commands.
    var extendedCommands = ExtendedCommands()

    /// Nothing is known yet.
    package init() {}

    /// The public address if it is a real one.
    var publicAddress: DeviceAddress? { self.address.flatMap { $0.isPlaceholder ? nil : $0 } }

    /// Whether it has Bluetooth LE, judged by everything except its LE features.
    package var hasLE: Bool? {
        if let features = self.linkManagerFeatures { return features.contains(.leSupported) }
        return self.version.flatMap { $0.hciVersion.rawValue < CoreVersion.v4_0.rawValue ? false : nil }
    }

    /// Whether it also has BR/EDR, and needs to be told that the host supports LE.
    var isDualMode: Bool {
        guard let features = self.linkManagerFeatures else { return false }
        return features.contains(.leSupported) && !features.contains(.bredrNotSupported)
    }

    /// Whether it has reported nothing but its version, like a boot loader that supports Reset.
    package var tellsNothing: Bool {
        self.hasLE == nil && self.supportedCommands == nil && (self.address ?? DeviceAddress.none) == DeviceAddress.none
    }

    /// Whether to try an optional command.
    func knows(_ command: any HCICommand.Type) -> Bool { self.supportedCommands?.contains(command) ?? true }

    /// Advice for the user of a chip without firmware, with this version if it has reported one.
    package static func firmwareAdvice(for version: ReadLocalVersionInformation.ReturnParameters?) -> String {
        let files = version?.firmwareFiles.map { " with \($0)" } ?? ""
        return "install the firmware package of your system, such as linux-firmware\(files), "
            + "then unplug it and plug it in again"
    }
}
