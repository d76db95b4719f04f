// Formats the packets between one host and its controller as text, in their order. To make later packets readable, it
// keeps a limited number of peers of links, incomplete frames, and UUIDs of discovered attributes. A malformed packet
// is shown as octets, not as an error.

public import BluetoothHCI
public import BluetoothTypes
import NIOCore

/// Formats the packets of one controller as text.
public struct PacketFormatter: Sendable {
    /// The direction of a packet.
    public enum Direction: Hashable, Sendable {
        /// From the host to the controller: sent by this device.
        case toController
        /// From the controller to the host: received by this device.
        case toHost
    }

    /// The state of a link.
    struct LinkState: Sendable {
        var peer: DeviceAddress?
        /// Incomplete frames, sent and received.
        var sent = L2CAPReassembler(maximumPayloadLength: 0xFFFF)
        var received = L2CAPReassembler(maximumPayloadLength: 0xFFFF)
        /// The type of the last Read By Type Request, which the response does not repeat.
        var typeAskedOfPeer: BluetoothUUID?
        var typeAskedByPeer: BluetoothUUID?
    }

    /// The known attributes of both sides of a link.
    struct AttributeNames: Sendable {
        var ofPeer: [AttributeHandle: BluetoothUUID] = [:]
        var ofThisDevice: [AttributeHandle: BluetoothUUID] = [:]
    }

    /// The largest number of links and peers; beyond that, all are dropped.
    private static let capacity = 1024

    private let name: @Sendable (DeviceAddress) -> String?
    var links: [ConnectionHandle: LinkState] = [:]
    /// Kept by peer, since a client that has met a server before does not discover it again.
    var attributes: [DeviceAddress: AttributeNames] = [:]

    /// Creates a formatter.
    ///
    /// - Parameter name: Returns the name to show for a device; `nil` to show its address.
    public init(name: @escaping @Sendable (DeviceAddress) -> String? = { _ in nil }) { self.name = name }

    /// The text of a packet.
    ///
    /// A fragment is described as such; the one that completes a frame as the frame.
    public mutating func describe(_ packet: HCIPacket, _ direction: Direction) -> PacketDescription {
        switch packet.kind {
        case .aclData: self.describeData(packet, direction)
        case .command: self.describeCommand(packet)
        case .event: self.describeEvent(packet)
        default: PacketDescription(layer: .hci, text: packet.description)
        }
    }

    /// The name of a device, or else its address.
    func text(of address: DeviceAddress) -> String { self.name(address) ?? address.description }

    private func text(of entry: FilterAcceptListEntry) -> String {
        switch entry {
        case .device(let address): self.text(of: address)
        case .anonymous: "anonymous devices"
        }
    }

    private func text(of handle: ConnectionHandle) -> String {
        self.links[handle]?.peer.map { self.text(of: $0) } ?? "link \(handle)"
    }

    // MARK: Commands

    private func describeCommand(_ packet: HCIPacket) -> PacketDescription {
        guard let command = try? HCICommandPacket(packet).command(), let text = self.text(of: command) else {
            return PacketDescription(layer: .hci, text: packet.description)
        }
        return PacketDescription(layer: .gap, handle: (command as? Disconnect)?.handle, text: text)
    }

    /// The text of a command for advertising, scanning or links; `nil` for others.
    private func text(of command: any HCICommand) -> String? {
        switch command {
        case let command as LESetAdvertisingEnable: command.isEnabled ? "Start advertising" : "Stop advertising"
        case let command as LESetExtendedAdvertisingEnable:
            command.isEnabled ? "Start advertising" : "Stop advertising"
        case let command as LESetAdvertisingData: "Set advertising data: \(advertisingText(command.data))"
        case let command as LESetScanResponseData: "Set scan response: \(advertisingText(command.data))"
        case let command as LESetExtendedAdvertisingData: "Set advertising data: \(advertisingText(command.data))"
        case let command as LESetExtendedScanResponseData: "Set scan response: \(advertisingText(command.data))"
        case let command as LESetAdvertisingParameters: "Set advertising interval \(command.minimumInterval)"
        case let command as LESetExtendedAdvertisingParameters:
            command.properties.contains(.legacy)
                ? "Set advertising interval \(command.minimumInterval)"
                : "Set advertising interval \(command.minimumInterval), extended PDUs on LE \(command.primaryPHY)"
        case let command as LESetScanParameters: "Set scan interval \(command.interval), window \(command.window)"
        case let command as LESetExtendedScanParameters:
            (command.le1M ?? command.leCoded).map { "Set scan interval \($0.interval), window \($0.window)" }
                ?? "Set no scan interval"
        case let command as LESetScanEnable: command.isEnabled ? "Start scanning" : "Stop scanning"
        case let command as LESetExtendedScanEnable:
            command.isEnabled ? "Start scanning" : "Stop scanning"
        case let command as LEAddDeviceToFilterAcceptList:
            "Add to filter accept list: \(self.text(of: command.entry))"
        case let command as LERemoveDeviceFromFilterAcceptList:
            "Remove from filter accept list: \(self.text(of: command.entry))"
        case let command as LECreateConnection: self.connecting(command.filterPolicy, to: command.peer)
        case let command as LEExtendedCreateConnection: self.connecting(command.filterPolicy, to: command.peer)
        case is LECreateConnectionCancel: "Cancel connecting"
        case let command as Disconnect: "Disconnect \(self.text(of: command.handle)): \(command.reason)"
        default: nil
        }
    }

    private func connecting(_ filterPolicy: InitiatorFilterPolicy, to peer: DeviceAddress) -> String {
        filterPolicy == .acceptList
            ? "Connect to devices of the filter accept list" : "Connect to \(self.text(of: peer))"
    }

    // MARK: Events

    private mutating func describeEvent(_ packet: HCIPacket) -> PacketDescription {
        guard let event = try? HCIEvent(packet) else {
            return PacketDescription(layer: .hci, text: packet.description)
        }
        switch event {
        case .leConnectionComplete(let event): return self.connected(event)
        case .leEnhancedConnectionComplete(let event): return self.connected(event)
        case .leEnhancedConnectionCompleteV2(let event): return self.connected(event.connection)
        case .disconnectionComplete(let event):
            let peer = self.text(of: event.handle)
            self.links[event.handle] = nil
            return PacketDescription(
                layer: .gap,
                handle: event.handle,
                text: event.status == .success
                    ? "Disconnected from \(peer): \(event.reason)" : "Disconnecting \(peer) failed: \(event.status)"
            )
        case .leAdvertisingReports(let reports):
            let texts = reports.map { report in
                let kind = report.eventType == .scanResponse ? "Scan response" : "Advertisement"
                return self.report(kind, report.address, report.data, report.rssi)
            }
            return PacketDescription(layer: .gap, text: texts.joined(separator: "; "))
        case .leExtendedAdvertisingReports(let reports):
            let texts = reports.map { report in
                let type = report.eventType
                let kind =
                    type.contains(.scanResponse)
                    ? "Scan response" : type.contains(.legacy) ? "Advertisement" : "Extended advertisement"
                return self.report(kind, report.address, report.data, report.rssi)
            }
            return PacketDescription(layer: .gap, text: texts.joined(separator: "; "))
        default:
            return PacketDescription(layer: .hci, text: event.description)
        }
    }

    private func report(_ kind: String, _ address: DeviceAddress?, _ data: ByteBuffer, _ rssi: RSSI?) -> String {
        let sender = address.map { self.text(of: $0) } ?? "an anonymous device"
        return "\(kind) of \(sender): \(advertisingText(data)), \(rssi?.description ?? "no RSSI")"
    }

    private mutating func connected(_ event: some LEConnectionCompletion) -> PacketDescription {
        guard event.status == .success else {
            return PacketDescription(layer: .gap, text: "Connecting ended: \(event.status)")
        }
        if self.links.count >= Self.capacity { self.links = [:] }
        if self.attributes.count >= Self.capacity { self.attributes = [:] }
        self.links[event.handle] = LinkState(peer: event.peer)
        let role = event.role == .central ? "central" : "peripheral"
        return PacketDescription(
            layer: .gap,
            handle: event.handle,
            text: """
                Connected to \(self.text(of: event.peer)) as \(role), interval \(event.interval), \
                latency \(event.latency), timeout \(event.supervisionTimeout)
                """
        )
    }

    // MARK: Data

    private mutating func describeData(_ packet: HCIPacket, _ direction: Direction) -> PacketDescription {
        guard let (header, fragment) = try? packet.aclData() else {
            return PacketDescription(layer: .hci, text: packet.description)
        }
        let handle = header.handle
        var state = self.links[handle] ?? LinkState()
        let outcome =
            switch direction {
            case .toController: state.sent.receive(fragment, isStart: header.boundary.isFirst)
            case .toHost: state.received.receive(fragment, isStart: header.boundary.isFirst)
            }
        // Frames of a link whose beginning was not seen are kept up to the limit.
        if self.links[handle] != nil || self.links.count < Self.capacity { self.links[handle] = state }
        guard let frame = outcome.frame else {
            let text =
                outcome.violation.map { "L2CAP data that breaks the rules: \($0)" }
                ?? "Fragment of \(fragment.readableBytes) octets"
            return PacketDescription(layer: .l2cap, handle: handle, text: text)
        }
        switch frame.channel {
        case .attributeProtocol:
            let text = self.describe(att: frame.payload, on: handle, direction)
            return PacketDescription(layer: .att, handle: handle, text: text)
        case .signalling:
            return PacketDescription(layer: .l2cap, handle: handle, text: signallingText(frame.payload))
        case .securityManagerProtocol:
            return PacketDescription(layer: .smp, handle: handle, text: pairingText(frame.payload))
        default:
            let text = "Channel \(frame.channel): \(octetText(frame.payload))"
            return PacketDescription(layer: .l2cap, handle: handle, text: text)
        }
    }
}
