// The common advertising of one adapter's peripheral managers, without I/O. There is one advertising packet, so it
// carries the content of all managers: all services, and the name of the manager that came first. An app in the
// background has a smaller share of the packet or none (`AdvertisedContent.under(_:)`).
//
// The packet:
//
//     off ── content ──▶ starting ── host accepts ──▶ on
//      ▲                  │    ▲                       │
//      ├── host refuses ──┘    └── content changes ────┤
//      └──── no content is left, adapter stopped, or the host cannot go on
//
// - off: the host advertises nothing, since no manager asks for it, none of them may, or the adapter is switched off.
//   After the latter, the managers' requests are repeated when the adapter is ready again, as far as they are permitted
//   then.
// - starting: the host was asked to advertise. Each question has a number, and the answer to an earlier one is ignored.
//   If the host refuses, the managers that waited for the answer are dropped, and the host is asked for the rest.
// - on: the host has accepted the packet.
//
// The request of one manager:
//
//     requested ── host accepts a packet with its content ──▶ advertising
//         │ host refuses it                                        │
//         └──────────────▶ removed ◀─── stopped, adapter reset ────┘
//
// - requested: the app waits for the answer. While it may advertise nothing, its content is in no packet, so no answer
//   concerns it.
// - advertising: that was reported, and stays so while the packet is refused with the content of others. It is not
//   reported if the manager goes on with what an earlier process began.
//
// A peer cannot affect it: the controller ends advertising with a connection, and the host starts it again by itself. A
// controller that refuses each packet costs one question for each change, and one more for the managers that advertised
// before. No timers.

import BluetoothHost
import NIOCore

/// Decides the content of the packet for all managers, and what is reported to each.
struct SharedAdvertising<Manager: Equatable> {
    /// Actions to carry out, in order.
    enum Action: Equatable {
        /// Have the host advertise this instead of what it advertises; its answer goes to
        /// ``SharedAdvertising/answered(_:number:)``.
        case advertise(AdvertisedContent, interval: TimeAmount, number: Int)
        /// Have the host advertise nothing.
        case stop
        /// The manager advertises now.
        case started(Manager)
        /// The manager does not advertise, or no longer, since the controller has refused.
        case refused(Manager, LEHostError)
        /// The manager advertises already, and goes on.
        case alreadyAdvertising(Manager)
    }

    private enum State {
        case off
        case starting(number: Int)
        case on
    }

    private enum Phase {
        case requested
        case advertising
    }

    private struct Request {
        let manager: Manager
        let content: AdvertisedContent
        /// Whether it goes on with what an earlier process began: only a failure is reported.
        let isRestored: Bool
        var permission: ManagerPermission
        var phase = Phase.requested

        /// Whether the host's next answer is about it.
        var isAwaited: Bool { self.phase == .requested && self.permission != .nothing }
    }

    private var state = State.off
    /// In the order in which they came.
    private var requests: [Request] = []
    /// The number of requests to the host.
    private var questionCount = 0

    /// The content that a manager advertises; `nil` if it does not advertise.
    func content(of manager: Manager) -> AdvertisedContent? {
        self.requests.first { $0.manager == manager }?.content
    }

    // MARK: Managers

    /// A manager wants to advertise.
    mutating func start(
        _ content: AdvertisedContent,
        for manager: Manager,
        under permission: ManagerPermission,
        isRestored: Bool = false
    ) -> [Action] {
        guard self.content(of: manager) == nil else { return [.alreadyAdvertising(manager)] }
        self.requests.append(
            Request(manager: manager, content: content, isRestored: isRestored, permission: permission)
        )
        return self.advertise()
    }

    /// A manager no longer wants to advertise.
    mutating func stop(_ manager: Manager) -> [Action] {
        guard let index = self.requests.firstIndex(where: { $0.manager == manager }) else { return [] }
        self.requests.remove(at: index)
        return self.advertise()
    }

    /// Some managers are permitted to advertise more, or less.
    mutating func changePermission(to permission: ManagerPermission, where isConcerned: (Manager) -> Bool) -> [Action] {
        let concerned = self.requests.indices.filter { isConcerned(self.requests[$0].manager) }
        guard !concerned.isEmpty else { return [] }
        for index in concerned { self.requests[index].permission = permission }
        return self.advertise()
    }

    /// The adapter is ready: some managers may have been permitted more, or less, while it was not.
    mutating func renewPermissions(_ permission: (Manager) -> ManagerPermission) -> [Action] {
        var isChanged = false
        for index in self.requests.indices {
            let present = permission(self.requests[index].manager)
            guard present != self.requests[index].permission else { continue }
            self.requests[index].permission = present
            isChanged = true
        }
        return isChanged ? self.advertise() : []
    }

    // MARK: The host

    /// The host has answered a question.
    mutating func answered(_ result: Result<Void, LEHostError>, number: Int) -> [Action] {
        guard case .starting(number) = self.state else { return [] }
        let awaited = self.requests.indices.filter { self.requests[$0].isAwaited }
        switch result {
        case .success:
            self.state = .on
            for index in awaited { self.requests[index].phase = .advertising }
            return awaited.filter { !self.requests[$0].isRestored }.map { .started(self.requests[$0].manager) }
        case .failure(let status):
            self.state = .off
            let refused = awaited.map { Action.refused(self.requests[$0].manager, status) }
            // Managers that advertised before go on without the new ones. If that fails, too, nothing is left to
            // report.
            self.requests.removeAll(where: \.isAwaited)
            return refused + (refused.isEmpty || self.requests.isEmpty ? [] : self.advertise())
        }
    }

    /// The host cannot go on with a packet that it had accepted: no manager advertises any longer.
    mutating func ended(_ error: LEHostError) -> [Action] {
        guard case .on = self.state else { return [] }
        self.state = .off
        let ended = self.requests.filter { $0.phase == .advertising }
        self.requests.removeAll { $0.phase == .advertising }
        return ended.map { .refused($0.manager, error) }
    }

    /// The adapter stopped, and the host advertises nothing: advertising is paused if the adapter was switched off, and
    /// over if it was reset.
    mutating func adapterStopped(isReset: Bool) {
        self.state = .off
        if isReset { self.requests = [] }
    }

    /// The adapter is ready: what was paused goes on.
    mutating func adapterStarted() -> [Action] {
        switch self.state {
        case .off: self.requests.isEmpty ? [] : self.advertise()
        case .starting, .on: []
        }
    }

    // MARK: Steps

    private mutating func advertise() -> [Action] {
        let parts = self.requests.compactMap { $0.content.under($0.permission) }
        guard !parts.isEmpty else {
            self.state = .off
            return [.stop]
        }
        let content = AdvertisedContent(
            localName: parts.lazy.compactMap(\.localName).first,
            services: parts.flatMap(\.services),
            manufacturerData: parts.lazy.compactMap(\.manufacturerData).first,
            overflowServices: parts.flatMap(\.overflowServices),
            permitsWholeName: parts.contains(where: \.permitsWholeName),
            options: parts.lazy.map(\.options).first { $0 != AdvertisingOptions() } ?? AdvertisingOptions()
        )
        let isInForeground = self.requests.contains { $0.permission == .everything }
        self.questionCount += 1
        self.state = .starting(number: self.questionCount)
        let interval =
            isInForeground
            ? content.options.interval ?? AdvertisingParameters.defaultInterval : AdvertisedContent.backgroundInterval
        return [.advertise(content, interval: interval, number: self.questionCount)]
    }
}
