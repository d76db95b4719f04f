// When the events of a manager leave, under the rules of its app.

extension ManagerSession {
    /// Whether the events that wait may leave; wakes the app, or has it launched, where they are worth it.
    func mayFlush(under application: any ApplicationPolicy) -> Bool {
        guard !self.outbox.isEmpty else { return false }
        let isWorthWaking = self.outbox.contains(where: \.isWorthWaking)
        if self.preservedState != nil {
            self.limitDeferredEvents()
            if isWorthWaking { application.requestLaunch() }
            return false
        }
        switch application.delivery(for: Self.role) {
        case .now: return true
        case .deferred, .launches: self.limitDeferredEvents()
        case .wakes:
            // Waking lets everything leave that waits, these events too.
            if isWorthWaking { application.wake() } else { self.limitDeferredEvents() }
        }
        return false
    }
}
