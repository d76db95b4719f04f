// Advertising for all peripheral managers of an adapter: carries out on the host what `SharedAdvertising` decides, and
// reports to the managers.

import BluetoothHost

/// The advertising of one adapter's managers.
final class Advertising {
    private unowned let core: AdapterCore
    private var shared = SharedAdvertising<PeripheralSession>()

    init(core: AdapterCore) { self.core = core }

    /// The content that a manager advertises; `nil` if it does not advertise.
    func content(of session: PeripheralSession) -> AdvertisedContent? { self.shared.content(of: session) }

    /// A manager wants to advertise.
    func start(_ content: AdvertisedContent, for session: PeripheralSession, isRestored: Bool = false) {
        let permission = session.application.permission(for: .peripheral)
        self.perform(self.shared.start(content, for: session, under: permission, isRestored: isRestored))
    }

    /// A manager no longer wants to advertise.
    func stop(_ session: PeripheralSession) { self.perform(self.shared.stop(session)) }

    /// An app is permitted to advertise more, or less.
    func applicationChanged(_ application: any ApplicationPolicy) {
        let permission = application.permission(for: .peripheral)
        self.perform(self.shared.changePermission(to: permission) { $0.application === application })
    }

    /// The controller cannot go on advertising: for the managers it is like a start that failed.
    func ended(_ error: LEHostError) { self.perform(self.shared.ended(error)) }

    /// The adapter stopped.
    func reset() { self.shared.adapterStopped(isReset: self.core.state < .poweredOff) }

    /// The adapter is ready: paused advertising goes on, as far as it is permitted now.
    func resume() {
        self.perform(self.shared.renewPermissions { $0.application.permission(for: .peripheral) })
        self.perform(self.shared.adapterStarted())
    }

    private func perform(_ actions: [SharedAdvertising<PeripheralSession>.Action]) {
        for action in actions {
            switch action {
            case .advertise(let content, let interval, let number):
                let (data, scanResponse) = content.packed()
                AdvertisedName.logIfShortened(content.localName, scanResponse)
                var request = AdvertisingParameters(data: data, scanResponse: scanResponse, interval: interval)
                request.isConnectable = content.options.isConnectable
                request.pdus = content.options.pdus
                request.includesTxPower = content.options.includesTxPower
                self.core.host.startAdvertising(request) { [weak self] result in
                    guard let self else { return }
                    self.perform(self.shared.answered(result, number: number))
                }
            case .stop: self.core.host.stopAdvertising()
            case .started(let session): session.report(.startedAdvertising(nil))
            case .refused(let session, let error):
                session.report(.startedAdvertising(.advertisingFailure(error)))
                session.noteChange()
            case .alreadyAdvertising(let session):
                session.report(.startedAdvertising(.reported(.alreadyAdvertising)))
            }
        }
    }
}

extension PeripheralSession: Equatable {
    static func == (left: PeripheralSession, right: PeripheralSession) -> Bool { left === right }
}
