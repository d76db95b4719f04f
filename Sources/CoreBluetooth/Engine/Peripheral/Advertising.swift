// Advertising for all peripheral managers of an adapter. There is one advertising packet, so what several apps advertise
// is laid into it together: all services, and the name of the app that came first.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore

/// What the managers of one adapter advertise.
final class Advertising {
    private struct Entry {
        let session: PeripheralSession
        var content: AdvertisedContent
        /// Whether it was reported that the app advertises.
        var isReported: Bool
        /// Whether it goes on with what another process began: only a failure is reported.
        var isRestored = false

        var permission: ManagerPermission { self.session.application.permission(for: .peripheral) }
    }

    private unowned let core: AdapterCore
    private var entries: [Entry] = []
    /// How often the host was asked; an answer to an older question is of no interest.
    private var number = 0

    init(core: AdapterCore) { self.core = core }

    /// An app wants to advertise.
    func start(_ content: AdvertisedContent, for session: PeripheralSession, isRestored: Bool = false) {
        guard !self.entries.contains(where: { $0.session === session }) else {
            return session.report(.startedAdvertising(.reported(.alreadyAdvertising)))
        }
        self.entries.append(Entry(session: session, content: content, isReported: false, isRestored: isRestored))
        self.advertise()
    }

    /// What an app advertises; `nil` where it does not.
    func content(of session: PeripheralSession) -> AdvertisedContent? {
        self.entries.first { $0.session === session }?.content
    }

    /// An app no longer wants to advertise.
    func stop(_ session: PeripheralSession) {
        guard let index = self.entries.firstIndex(where: { $0.session === session }) else { return }
        self.entries.remove(at: index)
        if self.entries.isEmpty {
            self.number += 1
            self.core.host.stopAdvertising()
        } else {
            self.advertise()
        }
    }

    /// The adapter stopped.
    func reset() {
        self.number += 1
        self.entries = []
    }

    /// An app has come to where it may advertise more, or less.
    func applicationChanged(_ application: any ApplicationPolicy) {
        guard self.entries.contains(where: { $0.session.application === application }) else { return }
        self.advertise()
    }

    private func advertise() {
        var content = AdvertisedContent()
        var isActive = false
        var interval = AdvertisedContent.backgroundInterval
        for entry in self.entries {
            let permission = entry.permission
            guard let part = entry.content.under(permission) else { continue }
            isActive = true
            if permission == .everything { interval = AdvertisedContent.interval }
            if content.localName == nil { content.localName = part.localName }
            content.services += part.services
            content.overflowServices += part.overflowServices
        }
        self.number += 1
        guard isActive else { return self.core.host.stopAdvertising() }
        let (data, scanResponse) = content.packed()
        let number = self.number
        let request = AdvertisingParameters(data: data, scanResponse: scanResponse, interval: interval)
        self.core.host.startAdvertising(request) { [weak self] result in
            guard let self, number == self.number else { return }
            self.answered(result)
        }
    }

    private func answered(_ result: Result<Void, LEHostError>) {
        switch result {
        case .success:
            for index in self.entries.indices
            where !self.entries[index].isReported && self.entries[index].permission != .nothing {
                self.entries[index].isReported = true
                if !self.entries[index].isRestored { self.entries[index].session.report(.startedAdvertising(nil)) }
            }
        case .failure(let error):
            for entry in self.entries where !entry.isReported && entry.permission != .nothing {
                entry.session.report(.startedAdvertising(.advertisingFailure(error)))
                entry.session.noteChange()
            }
            // Apps that advertised before go on without the new ones. Where that fails, too, nothing is left to report.
            let before = self.entries.count
            self.entries.removeAll { !$0.isReported && $0.permission != .nothing }
            if !self.entries.isEmpty, self.entries.count < before { self.advertise() }
        }
    }
}
