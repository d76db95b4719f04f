// What the user sees, and does.

import CoreBluetooth

@MainActor
package final class MeshViewModel {
    package struct Person: Identifiable, Equatable {
        package let id: PeerID
        package var nickname: String
        package var lastHeard: Date
        package var isReachable: Bool
    }

    /// How long somebody counts as reachable after they were last heard.
    private static let reachability: TimeInterval = 120
    private static let refresh: TimeInterval = 10

    package private(set) var bluetoothState = CBManagerState.unknown
    package private(set) var messages: [ChatMessage] = []
    package private(set) var people: [Person] = []
    /// What went wrong last.
    package private(set) var problem: MeshError?
    /// Called after each change, as the user interface is.
    package var didChange: (() -> Void)?

    private let router: MeshRouter
    private var timer: Timer?
    private var updates: Task<Void, Never>?

    init(router: MeshRouter, transport: MeshTransport) {
        self.router = router
        transport.stateDidChange = { [weak self] state in
            MainActor.assumeIsolated {
                self?.bluetoothState = state
                self?.didChange?()
            }
        }
    }

    func start() {
        let events = router.events
        updates = Task { [weak self] in
            for await event in events { self?.apply(event) }
        }
        timer = Timer.scheduledTimer(withTimeInterval: MeshViewModel.refresh, repeats: true) { [weak self] _ in
            Task { @MainActor in self?.refreshReachability() }
        }
    }

    func stop() {
        updates?.cancel()
        timer?.invalidate()
    }

    // MARK: What the user does

    package func send(_ text: String) {
        Task { await attempt { _ = try await $0.send(text) } }
    }

    package func send(_ text: String, to person: PeerID) {
        Task { await attempt { _ = try await $0.send(text, to: person) } }
    }

    private func attempt(_ action: (MeshRouter) async throws -> Void) async {
        do {
            try await action(router)
        } catch {
            problem = error as? MeshError
            didChange?()
        }
    }

    /// Somebody by their name.
    package func person(_ nickname: String) -> Person? { people.first { $0.nickname == nickname } }

    /// The texts of others.
    package var received: [String] { messages.filter { $0.sender != router.identity.id }.map(\.text) }

    /// Whether all private messages of this user have arrived.
    package var isAllDelivered: Bool {
        messages.allSatisfy { $0.sender != router.identity.id || $0.recipient == nil || $0.isDelivered }
    }

    // MARK: What happens

    private func apply(_ event: MeshEvent) {
        switch event {
        case .message(let message):
            let index = messages.firstIndex { $0.sentAt > message.sentAt } ?? messages.endIndex
            messages.insert(message, at: index)
        case .changed(let message):
            if let index = messages.firstIndex(where: { $0.id == message.id }) { messages[index] = message }
        case .peer(let id, let nickname, let lastHeard):
            let person = Person(id: id, nickname: nickname, lastHeard: lastHeard, isReachable: true)
            if let index = people.firstIndex(where: { $0.id == id }) {
                people[index] = person
            } else {
                people.append(person)
                people.sort { $0.nickname < $1.nickname }
            }
        case .left(let id):
            if let index = people.firstIndex(where: { $0.id == id }) { people[index].isReachable = false }
        }
        didChange?()
    }

    private func refreshReachability() {
        let now = Date()
        for index in people.indices {
            people[index].isReachable =
                people[index].isReachable
                && now.timeIntervalSince(people[index].lastHeard) < MeshViewModel.reachability
        }
        didChange?()
    }
}

extension ChatMessage {
    package var isDelivered: Bool { if case .delivered = delivery { return true } else { return false } }
}
