// A peripheral manager's session under the rules of its app: whether its services are there, and which of its deferred
// events are kept.

extension PeripheralSession {
    /// Publishes the services, or withdraws them, as the app is permitted now.
    func renewPermission() {
        self.setServicesAvailable(self.application.permission(for: .peripheral) != .nothing)
    }

    /// What waits is limited by what centrals can do: a request waits for its answer, and without the background mode
    /// there is no service to use.
    func limitDeferredEvents() {}
}

extension PeripheralEvent {
    var isWorthWaking: Bool {
        switch self {
        case .restored, .republished, .state, .central, .centralChangedMTU, .centralLeft, .canSend: false
        case .added, .startedAdvertising, .subscribed, .read, .write, .command, .channelPublished, .channelUnpublished,
            .channelOpened, .unknownChannelEnded:
            true
        }
    }
}
