// The changes for the managers of an adapter's apps when an app comes to the foreground, leaves it, is suspended,
// ends, or may no longer use Bluetooth.

import BluetoothHost
import NIOCore

extension AdapterCore {
    // MARK: Scanning

    /// How the sessions want the host to scan; `nil` if none does.
    var wantedScanPace: ScanPace? {
        var pace: ScanPace?
        for session in self.centralSessions where session.effectiveScan != nil {
            if session.application.permission(for: .central) == .everything { return .foreground }
            pace = .background
        }
        return pace
    }

}

extension AdapterCore: ApplicationObserver {
    /// An app came to the foreground, left it, or was suspended. While the adapter is not ready, only events are
    /// delivered; publishing and advertising follow when it is.
    func applicationDidChange(_ application: any ApplicationPolicy) {
        if self.isReady {
            for session in self.peripheralSessions where session.application === application {
                session.renewPermission()
            }
            self.advertising.applicationChanged(application)
            self.updateScanning()
        }
        self.flush()
    }

    /// The user lets an app use Bluetooth, or no longer.
    func authorizationDidChange(of application: any ApplicationPolicy) {
        guard self.state != .unknown else { return }
        for session in self.sessions where session.application === application { session.authorizationChanged() }
        self.flush()
    }

    /// An app ends, and its managers with it. Managers with a restore identifier continue their work, unless the app
    /// ends for good.
    func applicationDidEnd(_ application: any ApplicationPolicy, isForGood: Bool) {
        for session in self.sessions where session.application === application {
            session.applicationEnded(isForGood: isForGood)
        }
        self.flush()
    }
}
