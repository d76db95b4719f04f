// A host with privacy, on a scripted controller that records commands that a real one would refuse at that moment.

import BluetoothHCI
import BluetoothTypes
import NIOCore

@testable import BluetoothHost

/// A host with privacy.
final class PrivateHost {
    let testbed: HostTestbed
    /// The commands about addresses or the radio, with the relevant parameters.
    private(set) var steps: [String] = []
    /// All addresses that the host has given to the controller.
    private(set) var randomAddresses: [DeviceAddress] = []
    /// Commands that a real controller refuses at that moment.
    private(set) var mistakes: [String] = []
    private var isAdvertising = false
    private var isScanning = false
    private var isInitiating = false
    private var isResolving = false

    static let identity = DeviceAddress(0xC0DE_0000_0001, kind: .random)
    static let key = Octets16(high: 0xA, low: 0xB)
    static let peer = IdentityInformation(
        identityResolvingKey: Octets16(high: 0xC, low: 0xD),
        address: DeviceAddress(0xC0DE_0000_0002, kind: .random)
    )

    init(
        _ privacy: PrivacyConfiguration? = PrivacyConfiguration(),
        hasList: Bool = true,
        mode: PrivacyMode = .device,
        address: DeviceAddress? = PrivateHost.identity,
        prepare: (ScriptedController) -> Void = { _ in }
    ) {
        var configuration = LEHostConfiguration(address: address, privacy: privacy, peerPrivacyMode: mode)
        configuration.pairingSeed = 0x9A
        self.testbed = HostTestbed(configuration)
        if hasList { self.testbed.controller.features = [.privacy] }
        prepare(self.testbed.controller)
        self.testbed.controller.whenCommanded = { [unowned self] in self.note($1, of: $0) }
        self.testbed.host.identityResolvingKey = Self.key
        self.testbed.start()
    }

    var host: LEHost { self.testbed.host }

    /// The steps since the last call.
    func takeSteps() -> [String] {
        defer { self.steps = [] }
        return self.steps
    }

    /// The last random address of the controller.
    var radioAddress: DeviceAddress? { self.randomAddresses.last }

    private func note(_ opcode: HCIOpcode, of controller: ScriptedController) {
        guard var bytes = controller.parameters[opcode], controller.refused[opcode] == nil else { return }
        func command<Command: HCICommand>(_ type: Command.Type) -> Command? { try? Command(parsing: &bytes) }
        let usesRadio = self.isAdvertising || self.isScanning || self.isInitiating
        switch opcode {
        case LESetRandomAddress.opcode:
            if usesRadio { self.mistakes.append("the random address is set while the radio is used") }
            if let address = command(LESetRandomAddress.self)?.address { self.randomAddresses.append(address) }
            self.steps.append("address")
        case LESetAdvertisingParameters.opcode:
            if self.isAdvertising { self.mistakes.append("parameters are set while advertising") }
            let own = command(LESetAdvertisingParameters.self)?.ownAddressType.rawValue ?? 9
            self.steps.append("advertise as \(own)")
        case LESetAdvertisingEnable.opcode:
            self.isAdvertising = command(LESetAdvertisingEnable.self)?.isEnabled ?? false
            self.steps.append(self.isAdvertising ? "advertising" : "advertising ends")
        case LESetScanParameters.opcode:
            let scan = command(LESetScanParameters.self)
            self.steps.append("scan as \(scan?.ownAddressType.rawValue ?? 9)")
        case LESetScanEnable.opcode:
            self.isScanning = command(LESetScanEnable.self)?.isEnabled ?? false
            self.steps.append(self.isScanning ? "scanning" : "scanning ends")
        case LECreateConnection.opcode:
            let create = command(LECreateConnection.self)
            self.isInitiating = true
            let own = create?.ownAddressType.rawValue ?? 9
            self.steps.append("connect to \(create?.peer.description ?? "-") as \(own)")
        case LECreateConnectionCancel.opcode:
            self.steps.append("connecting ends")
            self.isInitiating = false
            controller.failConnection(.unknownConnectionIdentifier)
        case LEClearResolvingList.opcode, LEAddDeviceToResolvingList.opcode, LERemoveDeviceFromResolvingList.opcode,
            LESetPrivacyMode.opcode, LESetAddressResolutionEnable.opcode:
            let isEnabling = opcode == LESetAddressResolutionEnable.opcode
            if usesRadio, self.isResolving || isEnabling {
                self.mistakes.append("the resolving list is changed while the radio is used")
            }
            if isEnabling { self.isResolving = command(LESetAddressResolutionEnable.self)?.isEnabled ?? false }
            self.steps.append(Self.names[opcode] ?? "-")
        case LESetResolvablePrivateAddressTimeout.opcode:
            let timeout = command(LESetResolvablePrivateAddressTimeout.self)?.timeout.rawValue ?? 0
            self.steps.append("timeout \(timeout)")
        default:
            break
        }
    }

    private static let names: [HCIOpcode: String] = [
        LEClearResolvingList.opcode: "clear", LEAddDeviceToResolvingList.opcode: "add",
        LERemoveDeviceFromResolvingList.opcode: "remove", LESetPrivacyMode.opcode: "mode",
        LESetAddressResolutionEnable.opcode: "resolve",
    ]

    func advertise() {
        self.host.startAdvertising(AdvertisingParameters(data: hex("02 01 06"))) { _ in }
        self.testbed.run()
    }

    /// The controller opens a link, which ends advertising or initiating.
    func connect(_ handle: UInt16, peer: DeviceAddress, role: ConnectionRole) {
        if role == .peripheral { self.isAdvertising = false } else { self.isInitiating = false }
        self.testbed.controller.connect(handle, peer: peer, role: role)
        self.testbed.run()
    }

    /// An advertisement is received.
    func report(_ address: DeviceAddress) { self.testbed.report(address) }

    /// A private address of the peer.
    static func peerAddress(_ seed: UInt64 = 1) -> DeviceAddress {
        var generator = SeededGenerator(seed: seed)
        return ResolvablePrivateAddress.make(self.peer.identityResolvingKey, using: &generator)
    }
}
