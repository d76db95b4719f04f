// The user of a host that walks: it makes any call by chance, and notes everything that it hears.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore

@testable import BluetoothHost

/// A user whose calls follow from a seed.
final class HostWalkUser: LEHostDelegate {
    let host: LEHost
    let name: String
    private(set) var links: [LinkID] = []
    private(set) var channels: [L2CAPChannelID] = []
    private var questions: [(link: LinkID, question: PairingQuestion)] = []
    private var bonds: [DeviceAddress: Bond] = [:]
    private var clients: [DeviceAddress: BondedClient] = [:]
    var choice: WalkChoice
    var values = Values()
    /// The devices that it knows of.
    let peers: [DeviceAddress]
    let identities: [IdentityInformation]
    /// How many links there were.
    private(set) var linkCount = 0
    /// How many pairings were completed.
    private(set) var pairingCount = 0
    /// How many channels were opened.
    private(set) var channelCount = 0

    init(_ name: String, _ host: LEHost, peers: [DeviceAddress], identities: [IdentityInformation], seed: UInt64) {
        self.name = name
        self.host = host
        self.peers = peers
        self.identities = identities
        self.choice = WalkChoice(seed)
        host.delegate = self
    }

    func note(_ text: @autoclosure () -> String) { RunRecord.note("\(self.name) \(text())") }

    private func noting<Success>(_ what: String) -> (Result<Success, LEHostError>) -> Void {
        { [unowned self] in self.note("\(what) \($0)") }
    }

    // MARK: Calls

    private func parameters() -> ConnectionParameters {
        let interval = self.choice.one([6, 24, 40, 800])
        return ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: UInt16(interval)),
            maximumInterval: ConnectionInterval(rawValue: UInt16(interval + self.choice.one([0, 1, 16]))),
            latency: UInt16(self.choice.one([0, 0, 1, 4])),
            supervisionTimeout: SupervisionTimeout(rawValue: UInt16(self.choice.one([72, 600, 3_200])))
        )
    }

    /// Something about advertising, scanning and connecting.
    func useRadio() {
        switch self.choice.below(14) {
        case 0, 1, 2:
            let parameters = AdvertisingParameters(
                data: ByteBuffer(repeating: 0, count: self.choice.one([0, 3, 31])),
                scanResponse: ByteBuffer(repeating: 0, count: self.choice.one([0, 0, 31])),
                isConnectable: !self.choice.oneIn(3),
                interval: .milliseconds(Int64(self.choice.one([20, 100, 1_000]))),
                directedTo: self.choice.oneIn(5) ? self.choice.one(self.peers) : nil
            )
            self.host.startAdvertising(parameters, completion: self.noting("advertising"))
        case 3: self.host.stopAdvertising()
        case 4, 5:
            self.host.startScanning(
                ScanParameters(
                    isActive: self.choice.oneIn(2),
                    filtersDuplicates: self.choice.oneIn(2),
                    window: .milliseconds(Int64(self.choice.one([10, 30, 50])))
                )
            )
        case 6: self.host.stopScanning()
        case 7...10: self.host.connect(to: self.choice.one(self.peers), parameters: self.parameters())
        case 11: self.host.cancelConnection(to: self.choice.one(self.peers))
        case 12: self.note("\(self.host.stopConnecting(to: self.choice.one(self.peers)))")
        default: if self.choice.oneIn(2) { self.changeIdentities() }
        }
    }

    private func changeIdentities() {
        switch self.choice.below(4) {
        case 0, 1: self.host.bondedPeers = Array(self.identities.prefix(self.choice.below(self.identities.count + 1)))
        case 2:
            self.host.peerPrivacy = Dictionary(
                self.identities.map {
                    (
                        $0.address,
                        PeerPrivacy(
                            resolvesAddresses: self.choice.oneIn(2),
                            usesOnlyPrivateAddresses: self.choice.oneIn(2)
                        )
                    )
                },
                uniquingKeysWith: { first, _ in first }
            )
        default: self.host.identityResolvingKey = Octets16(high: 0, low: UInt64(self.choice.number(1...3)))
        }
    }

    /// Something about a link.
    func useLink() {
        // Sometimes one that has ended.
        guard
            let link = self.choice.oneIn(20)
                ? LinkID(rawValue: 0)
                : self.host.links.isEmpty
                    ? nil : self.choice.one(self.host.links).id
        else { return }
        switch self.choice.below(24) {
        case 0: self.host.readRSSI(of: link, completion: self.noting("strength"))
        case 1, 2: self.host.requestConnectionParameters(self.parameters(), of: link)
        case 3: self.host.updateConnection(link, to: self.parameters(), completion: self.noting("timing"))
        case 4: self.host.readPHYs(of: link, completion: self.noting("PHYs"))
        case 5:
            let preference = PHYPreference(transmitter: [.le1M, .le2M], receiver: self.choice.oneIn(2) ? nil : .le1M)
            self.host.setPHYs(of: link, to: preference, completion: self.noting("set PHYs"))
        case 6: if self.choice.oneIn(4) { self.host.disconnect(link) }
        case 7, 8: self.host.secure(link, to: self.choice.one(SecurityLevel.allCases))
        case 9, 10: self.host.pair(link, level: self.choice.one(SecurityLevel.allCases))
        case 11: if self.choice.oneIn(4) { self.host.cancelPairing(on: link) }
        case 12: if self.choice.oneIn(4) { self.host.removeBond(of: link) }
        case 13: self.host.setAuthorized(self.choice.oneIn(2), link)
        case 14: self.host.pauseReceiving(on: link)
        case 15, 16: self.host.resumeReceiving(on: link)
        case 17, 18, 19:
            let configuration = L2CAPChannelConfiguration(
                mtu: self.choice.one([23, 100, 2_048]),
                mps: self.choice.one([23, 64, 247]),
                window: self.choice.one([1, 4, 256]),
                sendLimit: self.choice.one([1, 100, 5_000])
            )
            let spsm = SPSM(rawValue: UInt16(self.choice.number(0x80...0x83)))
            self.host.openChannel(on: link, spsm: spsm, configuration: configuration) { [unowned self] result in
                self.note("channel \(result)")
                if case .success(let channel) = result { self.add(channel) }
            }
        default: self.answer()
        }
        self.note(
            "\(String(describing: self.host.security(of: link))) \(String(describing: self.host.timing(of: link)))"
        )
    }

    private func answer() {
        guard !self.questions.isEmpty else { return }
        let (link, question) = self.questions.removeFirst()
        let agrees = !self.choice.oneIn(8)
        switch question {
        case .consent: self.host.answer(.consent(agrees), on: link)
        case .displayPasskey: break
        case .enterPasskey: self.host.answer(.passkey(agrees ? Passkey(123_456) : nil), on: link)
        case .compareNumbers: self.host.answer(.numbersMatch(agrees), on: link)
        }
    }

    /// Something about a channel.
    func useChannel() {
        guard !self.channels.isEmpty, !self.choice.oneIn(10) else {
            let security = self.choice.one([.none, .none, .encrypted, .authenticated] as [SecurityRequirement])
            let spsm = SPSM(rawValue: UInt16(self.choice.number(0x80...0x82)))
            if self.choice.oneIn(4) { return self.host.stopListening(spsm: spsm) }
            let listening = Result { () throws(L2CAPListenError) in
                try self.host.listenForChannels(spsm: self.choice.oneIn(5) ? nil : spsm, security: security)
            }
            return self.note("\(listening)")
        }
        let channel = self.choice.one(self.channels)
        switch self.choice.below(10) {
        case 0...4:
            let octets = ByteBuffer(repeating: 7, count: self.choice.one([0, 1, 21, 22, 100, 700, 3_000]))
            self.note("wrote \(self.host.write(octets, on: channel))")
        case 5...8: self.host.consume(self.choice.one([1, 30, 100, .max]), of: channel)
        default:
            let last = self.choice.oneIn(2) ? [ByteBuffer(repeating: 8, count: 300)] : []
            if self.choice.oneIn(3) { self.host.closeChannel(channel, after: last) }
        }
        self.note("\(String(describing: self.host.information(of: channel)))")
    }

    private func add(_ channel: L2CAPChannelInformation) {
        self.channels.append(channel.id)
        self.channelCount += 1
    }

    /// Notes where the host stands.
    func noteState() {
        let host = self.host
        self.note(
            "\(host.state) \(host.links) \(host.initiator.pending) \(String(describing: host.address)) "
                + "\(String(describing: host.radioAddress)) \(host.advertiser.isOff) \(host.scanner.isOff) "
                + "\(host.initiator.isIdle) \(host.commands.waitingCount) \(host.limitsReceivedData)"
        )
    }

    // MARK: What it hears

    func host(_ host: LEHost, didChange state: LEHostState) { self.note("state \(state)") }
    func host(_ host: LEHost, didReceiveAdvertisement report: AdvertisingReport) { self.note("\(report)") }
    func host(_ host: LEHost, didConnect link: LinkInformation) {
        self.linkCount += 1
        self.links.append(link.id)
        self.note("connected \(link)")
    }
    func host(_ host: LEHost, didFailToConnectTo address: DeviceAddress, error: HCIErrorCode) {
        self.note("failed \(address) \(error.rawValue)")
    }
    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
        self.questions.removeAll { $0.link == link.id }
        self.note("disconnected \(link) \(reason.rawValue)")
    }
    func host(_ host: LEHost, link: LinkID, didChangeMTU mtu: Int) { self.note("mtu \(mtu)") }
    func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bonds[link.peer] }
    func host(_ host: LEHost, link: LinkID, didChangeSecurity security: LinkSecurity) {
        self.note("\(link) \(security)")
    }
    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) {
        self.note("\(link) \(question)")
        self.questions.append((link, question))
    }
    func host(_ host: LEHost, link: LinkID, didReceiveKeypress notification: KeypressNotification) {
        self.note("\(link) \(notification)")
    }
    func host(_ host: LEHost, didIdentifyPeerOf link: LinkInformation, before address: DeviceAddress) {
        self.note("\(link) was \(address)")
    }
    func host(_ host: LEHost, link: LinkID, didPairWith bond: Bond, isBonded: Bool) {
        self.pairingCount += 1
        self.questions.removeAll { $0.link == link }
        self.note("\(link) \(bond) \(isBonded)")
        if isBonded, let peer = host.information(of: link)?.peer { self.bonds[peer] = bond }
    }
    func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) {
        self.questions.removeAll { $0.link == link }
        self.note("\(link) \(error)")
    }
    func host(_ host: LEHost, bondedClientAt link: LinkInformation) -> BondedClient? { self.clients[link.peer] }
    func host(_ host: LEHost, link: LinkInformation, didChangeBondedClient client: BondedClient) {
        self.clients[link.peer] = client
        self.note("client of \(link)")
    }
    func host(_ host: LEHost, link: LinkInformation, didReadPrivacy privacy: PeerPrivacy) {
        self.note("\(link) \(privacy)")
    }
    func host(_ host: LEHost, shouldAcceptChannel request: L2CAPChannelRequest) -> L2CAPConnectionResult {
        self.note("\(request)")
        return self.choice.oneIn(8) ? .noResources : .success
    }
    func host(_ host: LEHost, didOpenChannel channel: L2CAPChannelInformation) {
        self.note("\(channel)")
        self.add(channel)
    }
    func host(_ host: LEHost, channel: L2CAPChannelID, didReceive octets: ByteBuffer) {
        self.note("\(channel) \(octets)")
        if self.choice.oneIn(2) { host.consume(octets.readableBytes, of: channel) }
    }
    func host(_ host: LEHost, channelIsReadyToSend channel: L2CAPChannelID) { self.note("\(channel) is ready") }
    func host(_ host: LEHost, channel: L2CAPChannelID, didCloseBecause reason: L2CAPChannelCloseReason) {
        self.channels.removeAll { $0 == channel }
        self.note("\(channel) \(reason)")
    }
}
