// Extracts peripherals from the packets between a host and its controller: those that this host heard and connected to,
// and this device itself if it was one. Data of an encrypted link is plain between host and controller. Malformed
// packets are ignored.

package import BluetoothHCI
package import BluetoothTypes
import NIOCore

/// Collects peripherals from the packets of one host, in order.
package struct ConversationReader: Sendable {
    /// The identity of a peripheral in the capture.
    package enum Key: Hashable, Sendable {
        /// The device whose host was captured.
        case local
        /// A peer, by its address.
        case peer(DeviceAddress)
        /// The peer of a link that began before the capture.
        case unknownPeer(ConnectionHandle)
    }

    /// A link, and which side is the peripheral.
    private struct Link {
        var number: Int
        var key: Key?
        /// Whether the peripheral's PDUs come from the peer; `nil` while unknown.
        var peripheralIsPeer: Bool?
        var peer: DeviceAddress?
        var sent = L2CAPReassembler(maximumPayloadLength: 0xFFFF)
        var received = L2CAPReassembler(maximumPayloadLength: 0xFFFF)
        var transactions = ServerTransactions()
    }

    private var links: [ConnectionHandle: Link] = [:]
    private var linkCount = 0
    private var advertisers: [DeviceAddress: HeardAdvertiser] = [:]
    private var databases: [Key: ObservedDatabase] = [:]
    /// The peripherals in the order in which they were first connected.
    private var order: [Key] = []
    private var local = RecordedPeripheral()
    private var publicAddress: DeviceAddress?
    private var randomAddress: DeviceAddress?
    private var usesRandomAddress = false
    private var hasAdvertised = false

    package init() {}

    /// Takes a packet; `time` in microseconds from any origin.
    package mutating func receive(_ packet: HCIPacket, _ direction: PacketFormatter.Direction, at time: Int64) {
        switch packet.kind {
        case .command where direction == .toController: self.receiveCommand(packet)
        case .event where direction == .toHost: self.receiveEvent(packet, at: time)
        case .aclData: self.receiveData(packet, direction, at: time)
        default: break
        }
    }

    // MARK: Commands and events

    private mutating func receiveCommand(_ packet: HCIPacket) {
        guard let command = try? HCICommandPacket(packet).command() else { return }
        switch command {
        case let command as LESetRandomAddress: self.randomAddress = command.address
        case let command as LESetAdvertisingData: self.local.advertisingData = command.data
        case let command as LESetScanResponseData: self.local.scanResponse = command.data
        case let command as LESetExtendedAdvertisingData: self.local.advertisingData = command.data
        case let command as LESetExtendedScanResponseData: self.local.scanResponse = command.data
        case let command as LESetAdvertisingParameters:
            self.usesRandomAddress = command.ownAddressType.rawValue & 1 == 1
            self.local.advertisingInterval = command.minimumInterval.timeAmount
            self.local.isConnectable = command.type.rawValue < 2
        case let command as LESetAdvertisingEnable: self.hasAdvertised = self.hasAdvertised || command.isEnabled
        case let command as LESetExtendedAdvertisingEnable:
            self.hasAdvertised = self.hasAdvertised || command.isEnabled
        default: break
        }
    }

    private mutating func receiveEvent(_ packet: HCIPacket, at time: Int64) {
        guard let event = try? HCIEvent(packet) else { return }
        switch event {
        case .leConnectionComplete(let event): self.connected(event, at: time)
        case .leEnhancedConnectionComplete(let event): self.connected(event, at: time)
        case .leEnhancedConnectionCompleteV2(let event): self.connected(event.connection, at: time)
        case .disconnectionComplete(let event) where event.status == .success: self.links[event.handle] = nil
        case .leAdvertisingReports(let reports):
            for report in reports {
                self.advertisers[report.address.withoutIdentity, default: HeardAdvertiser()].heard(
                    report.data,
                    isScanResponse: report.eventType == .scanResponse,
                    isConnectable: report.eventType == .connectableUndirected
                        || report.eventType == .connectableDirected,
                    at: time
                )
            }
        case .leExtendedAdvertisingReports(let reports):
            for report in reports {
                guard let address = report.address else { continue }
                self.advertisers[address.withoutIdentity, default: HeardAdvertiser()].heard(
                    report.data,
                    isScanResponse: report.eventType.contains(.scanResponse),
                    isConnectable: report.eventType.contains(.connectable),
                    at: time
                )
            }
        case .commandComplete(let event):
            // A controller without a public address reports zeros.
            guard event.opcode == ReadBDADDR.opcode, let answer = try? event.returned(by: ReadBDADDR.self),
                answer.status == .success, answer.address.value != 0
            else { return }
            self.publicAddress = answer.address
        default: break
        }
    }

    private mutating func connected(_ event: some LEConnectionCompletion, at time: Int64) {
        guard event.status == .success else { return }
        let peer = event.peer.withoutIdentity
        let isCentral = event.role == .central
        let key: Key = isCentral ? .peer(peer) : .local
        self.linkCount += 1
        var link = Link(number: self.linkCount, key: key, peripheralIsPeer: isCentral, peer: peer)
        link.transactions.linkNumber = link.number
        self.links[event.handle] = link
        // The advertisements from the peer's private address are its own.
        if isCentral, let resolvable = event.peerResolvableAddress?.withoutIdentity, self.advertisers[peer] == nil {
            self.advertisers[peer] = self.advertisers[resolvable]
        }
        self.database(of: key) { $0.linkBegan(link.number, at: time) }
    }

    private mutating func database(of key: Key, _ body: (inout ObservedDatabase) -> Void) {
        if self.databases[key] == nil { self.order.append(key) }
        body(&self.databases[key, default: ObservedDatabase()])
    }

    // MARK: Data

    private mutating func receiveData(_ packet: HCIPacket, _ direction: PacketFormatter.Direction, at time: Int64) {
        guard let (header, fragment) = try? packet.aclData() else { return }
        if self.links[header.handle] == nil {
            // This link began before the capture.
            self.linkCount += 1
            self.links[header.handle] = Link(number: self.linkCount)
            self.links[header.handle]?.transactions.linkNumber = self.linkCount
        }
        guard var link = self.links.removeValue(forKey: header.handle) else { return }
        let isStart = header.boundary.isFirst
        let outcome =
            direction == .toController
            ? link.sent.receive(fragment, isStart: isStart) : link.received.receive(fragment, isStart: isStart)
        if let frame = outcome.frame, frame.channel == .attributeProtocol, let opcode = ATT.opcode(of: frame.payload) {
            if link.peripheralIsPeer == nil, opcode.isDiscoveryRequest {
                // The device that discovers services is taken for the central.
                link.peripheralIsPeer = direction == .toController
                link.key = direction == .toController ? .unknownPeer(header.handle) : .local
            }
            if let peripheralIsPeer = link.peripheralIsPeer, let key = link.key {
                let isFromPeripheral = (direction == .toHost) == peripheralIsPeer
                self.database(of: key) { database in
                    link.transactions.receive(
                        frame.payload,
                        opcode,
                        isFromPeripheral: isFromPeripheral,
                        at: time,
                        into: &database
                    )
                }
            }
        }
        self.links[header.handle] = link
    }

    // MARK: Result

    /// The connected peripherals, in the order of their first connections.
    package func peripherals() -> [(key: Key, peripheral: RecordedPeripheral)] {
        self.order.compactMap { key in
            guard let database = self.databases[key] else { return nil }
            var peripheral: RecordedPeripheral
            switch key {
            case .local:
                peripheral = self.local
                peripheral.address = self.usesRandomAddress ? self.randomAddress : self.publicAddress
                if !self.hasAdvertised { (peripheral.advertisingData, peripheral.scanResponse) = (nil, nil) }
            case .peer(let address):
                peripheral = self.advertisers[address]?.peripheral ?? RecordedPeripheral()
                peripheral.address = address
            case .unknownPeer: peripheral = RecordedPeripheral()
            }
            database.describe(&peripheral)
            return (key, peripheral)
        }
    }

    /// The addresses of advertisers.
    package var advertiserCount: Int { self.advertisers.count }
}

/// The advertisements of a device.
private struct HeardAdvertiser: Sendable {
    /// The largest number of measured intervals.
    private static let intervalLimit = 256

    private var advertisingData: ByteBuffer?
    private var scanResponse: ByteBuffer?
    private var isConnectable = true
    private var last: Int64?
    private var intervals: [Int64] = []

    mutating func heard(_ data: ByteBuffer, isScanResponse: Bool, isConnectable: Bool, at time: Int64) {
        if isScanResponse { return self.scanResponse = data }
        self.advertisingData = data
        self.isConnectable = isConnectable
        if let last = self.last, self.intervals.count < Self.intervalLimit { self.intervals.append(time &- last) }
        self.last = time
    }

    var peripheral: RecordedPeripheral {
        var result = RecordedPeripheral()
        result.advertisingData = self.advertisingData
        result.scanResponse = self.scanResponse
        result.isConnectable = self.isConnectable
        // The median, since a scanner misses some advertisements.
        let sorted = self.intervals.sorted()
        if !sorted.isEmpty {
            result.advertisingInterval = .microseconds(min(max(sorted[sorted.count / 2], 20_000), 10_240_000))
        }
        return result
    }
}

extension ATTOpcode {
    /// Whether a client sends it to discover a database.
    fileprivate var isDiscoveryRequest: Bool {
        switch self {
        case .readByGroupTypeRequest, .findByTypeValueRequest, .readByTypeRequest, .findInformationRequest: true
        default: false
        }
    }
}
