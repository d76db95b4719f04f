// When a manager's events are delivered, under its app's policy.

extension ManagerSession {
    /// Whether the waiting events may be delivered now; wakes or launches the app if they are important enough.
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
            // Waking delivers everything that waits, including these events.
            if isWorthWaking { application.wake() } else { self.limitDeferredEvents() }
        }
        return false
    }
}
