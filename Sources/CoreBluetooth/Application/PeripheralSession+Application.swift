// A peripheral manager's session under its app's policy: whether its services are published, and which deferred events
// are kept.

extension PeripheralSession {
    /// Publishes or withdraws the services, as the app's permission requires.
    func renewPermission() {
        self.setServicesAvailable(self.application.permission(for: .peripheral) != .nothing)
    }

    /// The number of waiting events is limited by what centrals can do: a request waits for its answer, and without the
    /// background mode there is no service to use.
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
