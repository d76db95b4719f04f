// Advertising for all peripheral managers of an adapter. There is one advertising packet, so what several apps advertise
// is laid into it together: all services, and the name of whoever came first.

import BluetoothHCI
import BluetoothHost
import BluetoothTypes
import NIOCore

/// What the managers of one adapter advertise.
final class Advertising {
    private struct Entry {
        let session: PeripheralSession
        var content: AdvertisedContent
        /// Whether the app was told that it advertises.
        var isTold: Bool
        /// Whether it goes on with what another process began: only a failure is told.
        var isRestored = false
    }

    private unowned let core: AdapterCore
    private var entries: [Entry] = []
    /// How often the host was asked; an answer to an older question is of no interest.
    private var number = 0

    init(core: AdapterCore) { self.core = core }

    /// An app wants to advertise.
    func start(_ content: AdvertisedContent, for session: PeripheralSession, isRestored: Bool = false) {
        guard !self.entries.contains(where: { $0.session === session }) else {
            return session.tell(.startedAdvertising(.told(.alreadyAdvertising)))
        }
        self.entries.append(Entry(session: session, content: content, isTold: false, isRestored: isRestored))
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

    private func advertise() {
        var content = AdvertisedContent()
        for entry in self.entries {
            if content.localName == nil { content.localName = entry.content.localName }
            content.services += entry.content.services
        }
        let (data, scanResponse) = content.packed()
        self.number += 1
        let number = self.number
        self.core.host.startAdvertising(AdvertisingRequest(data: data, scanResponse: scanResponse)) {
            [weak self] result in
            guard let self, number == self.number else { return }
            self.answered(result)
        }
    }

    private func answered(_ result: Result<Void, HCIErrorCode>) {
        switch result {
        case .success:
            for index in self.entries.indices where !self.entries[index].isTold {
                self.entries[index].isTold = true
                if !self.entries[index].isRestored { self.entries[index].session.tell(.startedAdvertising(nil)) }
            }
        case .failure(let status):
            for entry in self.entries where !entry.isTold {
                entry.session.tell(.startedAdvertising(.advertisingFailure(status)))
                entry.session.noteChange()
            }
            // Who advertised before goes on without the newcomers. If that fails, too, there is nobody left to tell.
            let before = self.entries.count
            self.entries.removeAll { !$0.isTold }
            if !self.entries.isEmpty, self.entries.count < before { self.advertise() }
        }
    }
}
