// The user of a host in simulations: it makes random calls, and checks that each call ends once, that nothing is
// reported for a link or a channel that is not open, and that octets and values arrive in order.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

/// A user whose calls follow from a seed.
final class SimulatedUser: LEHostDelegate {
    /// A channel, whose stream is 0, 1, 2 … 250, 0 … in each direction.
    private struct Stream {
        let link: LinkID
        var written = 0
        var received = 0
        var isClosing = false
    }

    let host: LEHost
    private let peers: [DeviceAddress]
    private let identities: [IdentityInformation]
    /// Whether the peer is a simulated user, too, so that its octets and values are known.
    private let knowsPeer: Bool
    private var choices: SeededChoices

    private var callCount = 0
    private(set) var openCalls: Set<Int> = []
    /// Procedures that were cancelled: those may end, or not.
    private var cancelledCalls: Set<Int> = []
    private var operations: [(call: Int, operation: GATTOperation, link: LinkID)] = []

    private(set) var openLinks: Set<LinkID> = []
    private(set) var linkCount = 0
    private var channels: [L2CAPChannelID: Stream] = [:]
    private(set) var channelCount = 0
    private var consumesAtOnce = false
    private(set) var pairingCount = 0
    /// PDUs of each link that have not been counted yet.
    private var uncounted: [LinkID: Int] = [:]
    private var valueNumber: UInt64 = 0
    private var lastValues: [LinkID: [String: UInt64]] = [:]

    private var services: [GATTServiceHandles] = []
    private var reads: [GATTReadRequest] = []
    private var writes: [GATTRequestID] = []
    private var questions: [(link: LinkID, question: PairingQuestion)] = []
    private var bonds: [DeviceAddress: Bond] = [:]
    private var clients: [DeviceAddress: BondedClient] = [:]

    init(_ host: LEHost, peers: [DeviceAddress], identities: [IdentityInformation], knowsPeer: Bool, seed: UInt64) {
        self.host = host
        self.peers = peers
        self.identities = identities
        self.knowsPeer = knowsPeer
        self.choices = SeededChoices(seed: seed)
        host.delegate = self
    }

    var channelIDs: [L2CAPChannelID] { self.channels.keys.sorted { $0.rawValue < $1.rawValue } }
    var writtenOctets: Int { self.channels.values.reduce(0) { $0 + $1.written } }
    var receivedOctets: Int { self.channels.values.reduce(0) { $0 + $1.received } }

    // MARK: Calls that end once

    private func call() -> Int {
        self.callCount += 1
        self.openCalls.insert(self.callCount)
        return self.callCount
    }

    private func end(_ call: Int) {
        #expect((self.openCalls.remove(call) ?? self.cancelledCalls.remove(call)) != nil, "a call ends once")
    }

    private func completion<Success, Failure>() -> (Result<Success, Failure>) -> Void {
        let call = self.call()
        return { [unowned self] _ in self.end(call) }
    }

    private func parameters() -> ConnectionParameters {
        let interval = self.choices.pick([6, 24, 40, 800])
        return ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: UInt16(interval)),
            maximumInterval: ConnectionInterval(rawValue: UInt16(interval + self.choices.pick([0, 1, 16]))),
            latency: UInt16(self.choices.pick([0, 0, 1, 4])),
            supervisionTimeout: SupervisionTimeout(rawValue: UInt16(self.choices.pick([72, 600, 3_200])))
        )
    }

    /// An open link, or one that has ended.
    private func link() -> LinkID? {
        if self.choices.once(in: 20) { return LinkID(rawValue: 0) }
        return self.host.links.isEmpty ? nil : self.choices.pick(self.host.links).id
    }

    /// Makes a call.
    func act() {
        switch self.choices.below(self.host.links.isEmpty ? 6 : 24) {
        case 0...3: self.useRadio()
        case 4: self.changeDatabase()
        case 5: if self.choices.once(in: 4) { self.changeIdentities() }
        case 6...10: self.useLink()
        case 11...15: self.useValues()
        case 16, 17: self.respond()
        case 18, 19: self.answer()
        default: self.useChannel()
        }
    }

    private func useRadio() {
        switch self.choices.below(12) {
        case 0, 1, 2:
            let parameters = AdvertisingParameters(
                data: ByteBuffer(repeating: 0, count: self.choices.pick([0, 3, 31])),
                scanResponse: ByteBuffer(repeating: 0, count: self.choices.pick([0, 0, 31])),
                isConnectable: !self.choices.once(in: 3),
                interval: .milliseconds(Int64(self.choices.pick([20, 100, 1_000]))),
                directedTo: self.choices.once(in: 5) ? self.choices.pick(self.peers) : nil
            )
            self.host.startAdvertising(parameters, completion: self.completion())
        case 3: self.host.stopAdvertising()
        case 4:
            let (isActive, filters) = (self.choices.once(in: 2), self.choices.once(in: 2))
            self.host.startScanning(ScanParameters(isActive: isActive, filtersDuplicates: filters))
        case 5: self.host.stopScanning()
        case 6: self.host.cancelConnection(to: self.choices.pick(self.peers))
        case 7: self.host.stopConnecting(to: self.choices.pick(self.peers))
        default: self.host.connect(to: self.choices.pick(self.peers), parameters: self.parameters())
        }
    }

    private func changeIdentities() {
        switch self.choices.below(3) {
        case 0: self.host.bondedPeers = self.choices.some(self.identities).map { BondedPeer($0) }
        case 1:
            for identity in self.identities {
                let (resolves, onlyPrivate) = (self.choices.once(in: 2), self.choices.once(in: 2))
                let privacy = PeerPrivacy(resolvesAddresses: resolves, usesOnlyPrivateAddresses: onlyPrivate)
                self.host.peerPrivacy[identity.address] = privacy
            }
        default: self.host.identityResolvingKey = Octets16(high: 0, low: UInt64(self.choices.below(3) + 1))
        }
    }

    private func useLink() {
        guard let link = self.link() else { return }
        switch self.choices.below(18) {
        case 0: self.host.readRSSI(of: link, completion: self.completion())
        case 1: self.host.requestConnectionParameters(self.parameters(), of: link)
        case 2: self.host.updateConnection(link, to: self.parameters(), completion: self.completion())
        case 3: self.host.readPHYs(of: link, completion: self.completion())
        case 4:
            let receiver: PHYSet? = self.choices.once(in: 2) ? nil : .le1M
            let preference = PHYPreference(transmitter: [.le1M, .le2M], receiver: receiver)
            self.host.setPHYs(of: link, to: preference, completion: self.completion())
        case 5: if self.choices.once(in: 4) { self.host.disconnect(link) }
        case 6, 7: self.host.secure(link, to: self.choices.pick(SecurityLevel.allCases))
        case 8: self.host.pair(link, level: self.choices.pick(SecurityLevel.allCases))
        case 9: if self.choices.once(in: 4) { self.host.cancelPairing(on: link) }
        case 10: if self.choices.once(in: 4) { self.host.removeBond(of: link) }
        case 11: self.host.pauseReceiving(on: link)
        case 12, 13: self.host.resumeReceiving(on: link)
        default: self.openChannel(on: link)
        }
    }

    private func answer() {
        guard !self.questions.isEmpty else { return }
        let (link, question) = self.questions.removeFirst()
        let agrees = !self.choices.once(in: 8)
        switch question {
        case .consent: self.host.answer(.consent(agrees), on: link)
        case .displayPasskey: break
        case .enterPasskey: self.host.answer(.passkey(agrees ? Passkey(123_456) : nil), on: link)
        case .compareNumbers: self.host.answer(.numbersMatch(agrees), on: link)
        }
    }

    // MARK: Channels

    private static func pattern(from first: Int, _ count: Int) -> ByteBuffer {
        ByteBuffer(bytes: (first..<first + count).map { UInt8($0 % 251) })
    }

    private func openChannel(on link: LinkID) {
        let configuration = L2CAPChannelConfiguration(
            mtu: self.choices.pick([23, 100, 2_048]),
            mps: self.choices.pick([23, 64, 247]),
            window: self.choices.pick([1, 4, 256]),
            sendLimit: self.choices.pick([1, 100, 5_000])
        )
        let spsm = SPSM(rawValue: UInt16(0x80 + self.choices.below(4)))
        let call = self.call()
        self.host.openChannel(on: link, spsm: spsm, configuration: configuration) { [unowned self] result in
            self.end(call)
            if case .success(let channel) = result { self.add(channel) }
        }
    }

    private func useChannel() {
        guard let channel = self.channelIDs.randomElement(using: &self.choices), var stream = self.channels[channel],
            !self.choices.once(in: 8)
        else {
            let spsm = SPSM(rawValue: UInt16(0x80 + self.choices.below(3)))
            if self.choices.once(in: 4) { return self.host.stopListening(spsm: spsm) }
            let security = self.choices.pick([.none, .none, .encrypted, .authenticated] as [SecurityRequirement])
            _ = try? self.host.listenForChannels(spsm: self.choices.once(in: 5) ? nil : spsm, security: security)
            return
        }
        switch self.choices.below(10) {
        case 0...4:
            let count = self.choices.pick([0, 1, 21, 22, 100, 700, 3_000])
            let taken = self.host.write(Self.pattern(from: stream.written, count), on: channel)
            #expect(taken <= count && (!stream.isClosing || taken == 0))
            stream.written += taken
        case 5...8: self.host.consume(self.choices.pick([1, 30, 100, .max]), of: channel)
        default:
            guard self.choices.once(in: 3), !stream.isClosing else { return }
            let last = self.choices.once(in: 2) ? 300 : 0
            self.host.closeChannel(channel, after: last > 0 ? [Self.pattern(from: stream.written, last)] : [])
            stream.written += last
            stream.isClosing = true
        }
        if self.channels[channel] != nil { self.channels[channel] = stream }
    }

    /// Gives back all received octets, and later ones immediately, so that no peer has to wait.
    func consumeAll() {
        self.consumesAtOnce = true
        for channel in self.channelIDs { self.host.consume(.max, of: channel) }
        for link in self.host.links { self.host.resumeReceiving(on: link.id) }
    }

    private func add(_ channel: L2CAPChannelInformation) {
        #expect(self.channels[channel.id] == nil && self.openLinks.contains(channel.link))
        self.channels[channel.id] = Stream(link: channel.link)
        self.channelCount += 1
    }

    func host(_ host: LEHost, shouldAcceptChannel request: L2CAPChannelRequest) -> L2CAPConnectionResult {
        self.choices.once(in: 8) ? .noResources : .success
    }
    func host(_ host: LEHost, didOpenChannel channel: L2CAPChannelInformation) { self.add(channel) }
    func host(_ host: LEHost, channel: L2CAPChannelID, didReceive octets: ByteBuffer) {
        #expect(self.channels[channel] != nil, "octets come on open channels")
        guard let stream = self.channels[channel] else { return }
        let pattern = Self.pattern(from: stream.received, octets.readableBytes)
        #expect(!self.knowsPeer || octets == pattern, "no octet is lost or doubled")
        self.channels[channel]?.received += octets.readableBytes
        if self.choices.once(in: 2) || self.consumesAtOnce { host.consume(octets.readableBytes, of: channel) }
    }
    func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID) { #expect(self.channels[channel] != nil) }
    func host(_ host: LEHost, channel: L2CAPChannelID, didCloseBecause reason: L2CAPChannelCloseReason) {
        #expect(self.channels.removeValue(forKey: channel) != nil, "a channel ends once")
    }

    // MARK: Values

    private func changeDatabase() {
        if self.services.count > 2 || self.choices.once(in: 4), !self.services.isEmpty {
            return self.host.removeService(self.services.removeFirst().range.lowerBound)
        }
        let security = self.choices.pick([.none, .encrypted, .authenticated] as [SecurityRequirement])
        let definition = GATTServiceDefinition(
            uuid: 0xA000,
            characteristics: [
                GATTCharacteristicDefinition(
                    uuid: 0xA001,
                    properties: [.read, .write, .writeWithoutResponse, .notify],
                    permissions: AttributePermissions(read: security, write: security),
                    value: self.choices.once(in: 3) ? hex("01 02 03") : nil,
                    subscriptionSecurity: self.choices.once(in: 3) ? .encrypted : .none
                )
            ]
        )
        if let handles = try? self.host.addService(definition) { self.services.append(handles) }
    }

    private func useValues() {
        guard let link = self.link() else { return }
        // The first handles of a database, up to a service of the peer.
        let handle = AttributeHandle(self.choices.below(24) + 1)
        self.valueNumber += 1
        let number = ByteBuffer(integer: self.valueNumber)
        switch self.choices.below(12) {
        case 0, 1:
            let call = self.call()
            let operation = GATTProcedureOperation(ReadValue(handle)) { [unowned self] _ in self.end(call) }
            self.host.perform(operation, on: link)
            self.operations.append((call, operation, link))
        case 2:
            let value = ByteBuffer(repeating: 5, count: self.choices.pick([0, 1, 2, 20, 100, 512]))
            self.write(value, to: handle, on: link)
        case 3, 4: self.write(ByteBuffer(bytes: [UInt8(self.choices.below(2)), 0]), to: handle, on: link)
        case 5: self.performLater(handle, on: link)
        case 6:
            guard let (call, operation, link) = self.operations.popLast(), self.openCalls.remove(call) != nil else {
                return
            }
            self.cancelledCalls.insert(call)
            self.host.cancel(operation, on: link)
        case 7: self.host.cancelWritesWithoutResponse(to: handle...AttributeHandle(24), on: link)
        case 8: self.host.validateDatabaseCache(on: link)
        case 9, 10:
            if self.openLinks.contains(link) { self.uncounted[link, default: 0] += 1 }
            self.host.writeWithoutResponse(number, to: handle, on: link)
        default:
            guard let characteristic = self.services.last?.characteristics.first?.value else { return }
            let isQueued = self.host.notify(number, characteristic: characteristic, to: link)
            self.uncounted[link, default: 0] += isQueued ? 1 : 0
        }
    }

    private func write(_ value: ByteBuffer, to handle: AttributeHandle, on link: LinkID) {
        self.host.perform(WriteValue(value, to: handle), on: link, completion: self.completion())
    }

    /// A procedure that is created when its turn comes, or not at all.
    private func performLater(_ handle: AttributeHandle, on link: LinkID) {
        let (isWanted, call) = (!self.choices.once(in: 3), self.call())
        let make = { [unowned self] () -> ReadValue? in
            if !isWanted { self.end(call) }
            return isWanted ? ReadValue(handle) : nil
        }
        let completion: (Result<ByteBuffer, GATTError>) -> Void = { [unowned self] _ in self.end(call) }
        let isNext = self.choices.once(in: 2)
        self.host.perform(on: link, isNext: isNext, whenItsTurnComes: make, completion: completion)
    }

    private func respond() {
        let refuses = self.choices.once(in: 5)
        if let read = self.reads.popLast() {
            self.host.respond(to: read.id, with: refuses ? .failure(.unlikelyError) : .success(hex("0A 0B")))
        } else if let write = self.writes.popLast() {
            self.host.respond(to: write, error: refuses ? .unlikelyError : nil)
        }
    }

    private func received(_ value: ByteBuffer, _ kind: String, on link: LinkID) {
        #expect(self.openLinks.contains(link))
        // Service Changed has four octets.
        guard self.knowsPeer, value.readableBytes == 8, let number: UInt64 = value.getInteger(at: value.readerIndex)
        else { return }
        #expect(number > self.lastValues[link]?[kind] ?? 0, "values come once, in order")
        self.lastValues[link, default: [:]][kind] = number
    }

    func host(_ host: LEHost, didReceiveReadRequest request: GATTReadRequest) {
        #expect(self.openLinks.contains(request.link))
        self.reads.append(request)
    }
    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        #expect(self.openLinks.contains(request.link))
        if let id = request.id { self.writes.append(id) }
    }
    func host(_ host: LEHost, link: LinkID, didReceiveWriteCommand value: ByteBuffer, to handle: AttributeHandle) {
        self.received(value, "command", on: link)
    }
    func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {
        self.received(value, "notification", on: link)
    }
    func host(_ host: LEHost, link: LinkID, didTransmit count: Int, for token: TransmitToken) {
        self.uncounted[link, default: 0] -= count
        #expect(self.openLinks.contains(link) && self.uncounted[link, default: 0] >= 0, "a PDU is counted once")
    }

    // MARK: Links and security

    func host(_ host: LEHost, didConnect link: LinkInformation) {
        #expect(self.openLinks.insert(link.id).inserted)
        self.linkCount += 1
    }
    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
        #expect(self.openLinks.remove(link.id) != nil, "a link ends once")
        #expect(self.uncounted.removeValue(forKey: link.id) ?? 0 == 0, "all PDUs of the link are counted")
        #expect(!self.channels.values.contains { $0.link == link.id }, "channels end before their link")
        self.questions.removeAll { $0.link == link.id }
    }
    func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bonds[link.peer] }
    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) {
        #expect(self.openLinks.contains(link))
        self.questions.append((link, question))
    }
    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) {
        self.pairingCount += 1
        self.questions.removeAll { $0.link == link }
        if isBonded, let peer = host.information(of: link)?.peer { self.bonds[peer] = bond }
    }
    func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) {
        self.questions.removeAll { $0.link == link }
    }
    func host(_ host: LEHost, bondedClientAt link: LinkInformation) -> BondedClient? { self.clients[link.peer] }
    func host(_ host: LEHost, link: LinkInformation, didChangeBondedClient client: BondedClient) {
        self.clients[link.peer] = client
    }
}
