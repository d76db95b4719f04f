// The article's key: it opens the lock when it comes near, without being touched. Its connection request does not
// expire, and with a restoration identifier it outlives the app.

public import CoreBluetooth
import Foundation

/// A key that opens a lock whenever the two are in range of each other.
///
/// It starts with ``begin()``. Use it on the main thread.
public final class ElectronicKey {
    /// An event of the key.
    public enum Event: Equatable {
        /// The key looks for its lock.
        case searching
        /// The lock with this name is connected.
        case connected(name: String)
        /// The lock is open.
        case opened
        /// The lock rejects this key.
        case refused(reason: String)
        /// The lock is out of range; the key waits for it.
        case away
        /// The key was restored from before its app ended, with these peers.
        case restored([UUID])
        /// An error occurred.
        case failed(BlueEarError)
        /// The adapter's state changed.
        case stateChanged(CBManagerState)
    }

    /// Called with each event.
    public var onEvent: ((Event) -> Void)?
    /// Whether the lock is open for this key.
    public private(set) var hasOpened = false
    /// The messenger that the key uses.
    public let manager = CentralRole.BluetoothManager()

    private let secret: String
    private let ear = Ear()

    /// Creates the key; it does nothing until ``begin()``.
    public init(secret: String, restoreIdentifier: String? = nil) {
        self.secret = secret
        manager.restoreIdentifier = restoreIdentifier
        manager.stays = true
        manager.message = nil
        // A response to the challenge of an earlier link would be useless.
        manager.keepsWaiting = false
        manager.blueEar = ear
        ear.key = self
    }

    /// Starts to look for the lock, or resumes after a restoration.
    public func begin() { manager.scan() }

    private func hear(_ message: [String: String]) {
        if let challenge = message[ChallengeResponse.challenge].flatMap(ChallengeResponse.octets) {
            guard challenge.count == ChallengeResponse.challengeLength else { return }
            do {
                let response = ChallengeResponse.response(to: challenge, secret: secret)
                try manager.send([ChallengeResponse.response: ChallengeResponse.text(response)])
            } catch {
                onEvent?(.failed(BlueEarError(error)))
            }
        } else if let reason = message[ChallengeResponse.error] {
            onEvent?(.refused(reason: reason))
        } else if ChallengeResponse.open == message[ChallengeResponse.state], !hasOpened {
            hasOpened = true
            onEvent?(.opened)
        }
    }

    private func lose() {
        hasOpened = false
        onEvent?(.away)
    }

    /// The messenger's delegate; a class of its own, because the messenger keeps its delegate alive.
    private final class Ear: CentralRole.BlueEar, MessageObserver {
        weak var key: ElectronicKey?

        func didStartConfiguration() {}
        func didStartScanningPeripherals() { key?.onEvent?(.searching) }
        func didConnectPeripheral(name: String?) { key?.onEvent?(.connected(name: name ?? "")) }
        func didDisconnectPeripheral(name: String?) { key?.lose() }
        func didSendData() {}
        func didReceiveData() {}
        func didFailConnection() {}
        func didReceive(_ message: [String: String], from peer: UUID) { key?.hear(message) }
        func didFail(_ error: BlueEarError, with peer: UUID?) { key?.onEvent?(.failed(error)) }
        func didUpdateState(_ state: CBManagerState) { key?.onEvent?(.stateChanged(state)) }
        func didRestoreState(peers: [UUID]) { key?.onEvent?(.restored(peers)) }
    }
}
