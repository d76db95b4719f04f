// The article's electronic lock: it opens when its key comes near, and closes when the key leaves.

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
public import CoreBluetooth
import Foundation

/// A lock that opens to a key with its secret, while the key is connected.
///
/// It starts when it is created. Use it on the main thread.
public final class ElectronicLock {
    /// An event of the lock.
    public enum Event: Equatable {
        /// The lock advertises.
        case ready
        /// A central has connected and received a challenge.
        case challenged(UUID)
        /// A central has sent the right response; the lock is open.
        case opened(by: UUID)
        /// A central has sent a wrong response, or none.
        case refused(UUID)
        /// The last link that had opened the lock has ended.
        case closed
        /// The lock was restored from before its app ended.
        case restored
        /// An error occurred.
        case failed(BlueEarError)
        /// The adapter's state changed.
        case stateChanged(CBManagerState)
    }

    /// Whether the lock is open.
    public var isOpen: Bool { !openers.isEmpty }
    /// Called with each event.
    public var onEvent: ((Event) -> Void)?
    /// The messenger that the lock uses.
    public let manager: PeripheralRole.BluetoothManager

    private let secret: String
    /// The challenges without a response yet; each accepts one.
    private var challenges: [UUID: Data] = [:]
    private var openers: Set<UUID> = []
    /// The generator of challenges.
    internal var generator: any RandomNumberGenerator = SystemRandomNumberGenerator()

    /// Creates the lock, which starts at once; with an identifier its state outlives the app.
    public init(secret: String, name: String = "Lock", restoreIdentifier: String? = nil) {
        self.secret = secret
        let ear = Ear()
        manager = PeripheralRole.BluetoothManager(delegate: ear, restoreIdentifier: restoreIdentifier)
        manager.localName = name
        // Each central gets only its own messages, by reads as well.
        manager.message = nil
        ear.lock = self
    }

    private func challenge(_ peer: UUID) {
        var generator = self.generator
        let challenge = ChallengeResponse.makeChallenge(using: &generator)
        self.generator = generator
        challenges[peer] = challenge
        let message = [
            ChallengeResponse.state: isOpen ? ChallengeResponse.open : ChallengeResponse.closed,
            ChallengeResponse.challenge: ChallengeResponse.text(challenge),
        ]
        say(message, to: peer)
        onEvent?(.challenged(peer))
    }

    private func judge(_ message: [String: String], from peer: UUID) {
        guard
            let challenge = challenges.removeValue(forKey: peer),
            let response = message[ChallengeResponse.response].flatMap(ChallengeResponse.octets),
            ChallengeResponse.isResponse(response, to: challenge, secret: secret)
        else {
            // One attempt per link: another guess needs another link.
            say(
                [ChallengeResponse.state: ChallengeResponse.closed, ChallengeResponse.error: "this is not the key"],
                to: peer
            )
            onEvent?(.refused(peer))
            return
        }
        openers.insert(peer)
        say([ChallengeResponse.state: ChallengeResponse.open], to: peer)
        onEvent?(.opened(by: peer))
    }

    private func leave(_ peer: UUID) {
        challenges[peer] = nil
        guard openers.remove(peer) != nil, openers.isEmpty else { return }
        onEvent?(.closed)
    }

    private func say(_ message: [String: String], to peer: UUID) {
        do {
            try manager.send(message, to: peer)
        } catch {
            onEvent?(.failed(BlueEarError(error)))
        }
    }

    /// The messenger's delegate; a class of its own, because the messenger keeps its delegate alive.
    private final class Ear: PeripheralRole.BlueEar, MessageObserver {
        weak var lock: ElectronicLock?

        func didStartConfiguration() {}
        func didStartAdvertising() { lock?.onEvent?(.ready) }
        func didSendData() {}
        func didReceiveData() {}
        func didReceive(_ message: [String: String], from peer: UUID) { lock?.judge(message, from: peer) }
        func didBegin(with peer: UUID) { lock?.challenge(peer) }
        func didEnd(with peer: UUID) { lock?.leave(peer) }
        func didFail(_ error: BlueEarError, with peer: UUID?) { lock?.onEvent?(.failed(error)) }
        func didUpdateState(_ state: CBManagerState) { lock?.onEvent?(.stateChanged(state)) }
        func didRestoreState(peers: [UUID]) { lock?.onEvent?(.restored) }
    }
}
#endif
