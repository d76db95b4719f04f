// The article's electronic lock: it opens when its key comes near, and closes when the key is gone.

#if !os(tvOS) && !os(watchOS) && !os(visionOS)
public import CoreBluetooth
import Foundation

/// A lock that opens to a key with its secret, as long as the link to the key lasts.
///
/// It begins when it is made. Use it on the main thread.
public final class ElectronicLock {
    /// What happened to the lock.
    public enum Event: Equatable {
        /// The lock can be heard.
        case ready
        /// A central has connected and got a challenge.
        case challenged(UUID)
        /// A central has sent the right response; the lock is open.
        case opened(by: UUID)
        /// A central has sent a wrong response, or none.
        case refused(UUID)
        /// The last link that had opened the lock is gone.
        case closed
        /// The lock is back from before its app ended.
        case restored
        /// Something went wrong.
        case failed(BlueEarError)
        /// The adapter came or went.
        case stateChanged(CBManagerState)
    }

    /// Whether the lock is open.
    public var isOpen: Bool { !openers.isEmpty }
    /// Called with each event.
    public var onEvent: ((Event) -> Void)?
    /// The messenger that the lock uses.
    public let manager: PeripheralRole.BluetoothManager

    private let secret: String
    /// The challenges that are not answered yet; each may be answered once.
    private var challenges: [UUID: Data] = [:]
    private var openers: Set<UUID> = []
    /// Where the challenges come from.
    internal var generator: any RandomNumberGenerator = SystemRandomNumberGenerator()

    /// Creates the lock, which begins at once; with an identifier its state outlives the app.
    public init(secret: String, name: String = "Lock", restoreIdentifier: String? = nil) {
        self.secret = secret
        let ear = Ear()
        manager = PeripheralRole.BluetoothManager(delegate: ear, restoreIdentifier: restoreIdentifier)
        manager.localName = name
        // No central gets what is meant for another, nor by a read.
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
            // One attempt for each link: a further guess needs another link.
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
