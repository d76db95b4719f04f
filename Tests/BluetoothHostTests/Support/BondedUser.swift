// The user of a host with one peer, which may be bonded.

import BluetoothHCI
import BluetoothTypes
import NIOCore

@testable import BluetoothHost

/// Returns the bond of its only peer, answers no question, and keeps all reports.
final class BondedUser: LEHostDelegate {
    var bond: Bond?
    private(set) var link: LinkID?
    private(set) var reasons: [HCIErrorCode] = []
    private(set) var values: [ByteBuffer] = []
    private(set) var writes: [ByteBuffer] = []
    private(set) var subscriptions: [Bool] = []
    private(set) var counters: [UInt32] = []
    var outOfBandQuestions = 0
    private(set) var questions: [PairingQuestion] = []
    private(set) var keypresses: [KeypressNotification] = []
    private(set) var errors: [PairingError] = []
    private(set) var privacy: [PeerPrivacy] = []
    /// The results of reads.
    private(set) var reads: [Result<ByteBuffer, GATTError>] = []
    /// The results of requests for channels.
    private(set) var channels: [Result<SPSM, L2CAPChannelOpenError>] = []

    init(_ bond: Bond? = SecurityManagerTests.bond(.encrypted)) { self.bond = bond }

    /// A user whose peer has distributed an identity resolving key.
    convenience init(identityResolvingKey key: Octets16) {
        var bond = SecurityManagerTests.bond(.encrypted)
        let address = SecurityManagerPair.peripheralAddress
        bond.peer.identity = IdentityInformation(identityResolvingKey: key, address: address)
        self.init(bond)
    }

    /// Reads the value with the handle 3.
    func read(_ testbed: HostTestbed) {
        guard let link = self.link else { return }
        testbed.host.perform(ReadValue(3), on: link) { [unowned self] in self.reads.append($0) }
        testbed.run()
    }

    /// Requests a channel from the peer.
    func openChannel(_ testbed: HostTestbed, _ spsm: SPSM = 0x25) {
        guard let link = self.link else { return }
        let configuration = L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 4)
        testbed.host.openChannel(on: link, spsm: spsm, configuration: configuration) { [unowned self] in
            self.channels.append($0.map(\.spsm))
        }
        testbed.run()
    }

    func host(_ host: LEHost, bondOf link: LinkInformation) -> Bond? { self.bond }
    func host(_ host: LEHost, didConnect link: LinkInformation) { self.link = link.id }
    func host(_ host: LEHost, didDisconnect link: LinkInformation, reason: HCIErrorCode) {
        self.reasons.append(reason)
    }
    func host(_ host: LEHost, link: LinkID, didReceiveValue value: ByteBuffer, for handle: AttributeHandle) {
        self.values.append(value)
    }
    func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) {
        self.writes += request.parts.map(\.value)
    }
    func host(_ host: LEHost, link: LinkID, didSubscribe: Bool, toCharacteristic handle: AttributeHandle) {
        self.subscriptions.append(didSubscribe)
    }
    func host(_ host: LEHost, link: LinkID, didAcceptSignCounter counter: UInt32) { self.counters.append(counter) }
    func host(_ host: LEHost, outOfBandDataFor link: LinkInformation) -> OutOfBandData {
        self.outOfBandQuestions += 1
        return OutOfBandData()
    }
    func host(_ host: LEHost, link: LinkID, asks question: PairingQuestion) { self.questions.append(question) }
    func host(_ host: LEHost, link: LinkID, didReceiveKeypress notification: KeypressNotification) {
        self.keypresses.append(notification)
    }
    func host(_ host: LEHost, link: LinkID, didFailToPair error: PairingError) { self.errors.append(error) }
    func host(_ host: LEHost, link: LinkInformation, didReadPrivacy privacy: PeerPrivacy) {
        self.privacy.append(privacy)
    }
}
