// Reads from our host's HCI packets whether it scans, and to which devices it wants to connect. A host stops initiating
// for a moment whenever it changes its accept list.

import BluetoothHCI
import BluetoothTypes
import NIOCore

/// The scan and the connections that a host wants, by its packets.
struct HostCommands {
    private enum Initiating {
        case off
        case peer(DeviceAddress)
        case acceptList
    }

    /// Whether it scans.
    private(set) var isScanning = false
    private var initiating = Initiating.off
    private var acceptList: Set<DeviceAddress> = []

    /// The devices to which it connects as soon as they are heard.
    var wanted: Set<DeviceAddress> {
        switch self.initiating {
        case .off: []
        case .peer(let peer): [peer]
        case .acceptList: self.acceptList
        }
    }

    /// Takes a packet to the controller.
    mutating func sent(_ packet: HCIPacket) {
        guard packet.kind == .command, let command = try? HCICommandPacket(packet).command() else { return }
        switch command {
        case is Reset: self = HostCommands()
        case let command as LESetScanEnable: self.isScanning = command.isEnabled
        case let command as LESetExtendedScanEnable: self.isScanning = command.isEnabled
        case let command as LECreateConnection: self.initiate(command.filterPolicy, command.peer)
        case let command as LEExtendedCreateConnection: self.initiate(command.filterPolicy, command.peer)
        case is LECreateConnectionCancel: self.initiating = .off
        case is LEClearFilterAcceptList: self.acceptList = []
        case let command as LEAddDeviceToFilterAcceptList:
            if let address = command.entry.device { self.acceptList.insert(address) }
        case let command as LERemoveDeviceFromFilterAcceptList:
            if let address = command.entry.device { self.acceptList.remove(address) }
        default: break
        }
    }

    /// Takes a packet from the controller.
    mutating func received(_ packet: HCIPacket) {
        guard packet.kind == .event, !packet.isAdvertisingReport, let event = try? HCIEvent(packet) else { return }
        let role: ConnectionRole? =
            switch event {
            case .leConnectionComplete(let event): event.role
            case .leEnhancedConnectionComplete(let event): event.role
            case .leEnhancedConnectionCompleteV2(let event): event.connection.role
            default: nil
            }
        if role == .central { self.initiating = .off }
    }

    private mutating func initiate(_ policy: InitiatorFilterPolicy, _ peer: DeviceAddress) {
        self.initiating = policy == .acceptList ? .acceptList : .peer(peer.withoutIdentity)
    }
}

extension FilterAcceptListEntry {
    fileprivate var device: DeviceAddress? {
        if case .device(let address) = self { address.withoutIdentity } else { nil }
    }
}
