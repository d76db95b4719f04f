// A peripheral manager's session under the rules of its app: when its services are there, and when its events leave.

import BluetoothHost
import BluetoothTypes

extension PeripheralSession {
    /// Whether the events that wait may leave; wakes the app, or has it launched, where they are worth it.
    ///
    /// What waits is limited by what centrals can do: a request waits for its answer, and without the background mode
    /// there is no service to use.
    func mayFlush(under application: any ApplicationPolicy) -> Bool {
        guard !self.mailboxes.outbox.isEmpty else { return false }
        let isWorthWaking = self.mailboxes.outbox.contains(where: \.isWorthWaking)
        if self.preservedState != nil {
            if isWorthWaking { application.requestLaunch() }
            return false
        }
        switch application.delivery(for: .peripheral) {
        case .now: return true
        case .deferred, .launches: return false
        case .wakes:
            if isWorthWaking { application.wake() }
            return false
        }
    }
}

extension PeripheralEvent {
    /// Whether an app is woken for the event; the others are the bookkeeping of its managers.
    fileprivate var isWorthWaking: Bool {
        switch self {
        case .restored, .republished, .state, .central, .centralChangedMTU, .centralLeft, .canSend: false
        case .added, .startedAdvertising, .subscribed, .read, .write, .channelPublished, .channelUnpublished,
            .channelOpened, .unknownChannelEnded:
            true
        }
    }
}
