// The apps of one adapter: what changes for their managers when an app comes to the foreground, leaves it, is suspended,
// ends, or may no longer use Bluetooth.

import BluetoothHost
import NIOCore

extension AdapterCore {
    // MARK: Scanning

    /// How the sessions want the host to scan; `nil` where none wants it.
    var wantedScanPace: ScanPace? {
        var pace: ScanPace?
        for session in self.centralSessions where session.effectiveScan != nil {
            if session.application.permission(for: .central) == .everything { return .foreground }
            pace = .background
        }
        return pace
    }

    // MARK: The life of an app

    /// An app stands elsewhere now.
    func applicationChanged(_ application: Application) {
        let areServicesAvailable = application.permission(for: .peripheral) != .nothing
        if self.isReady {
            for session in self.peripheralSessions where session.application === application {
                session.setServicesAvailable(areServicesAvailable)
            }
            self.advertising.applicationChanged(application)
            self.updateScanning()
        }
        self.flush()
    }

    /// The user lets an app use Bluetooth, or no longer.
    func authorizationChanged(of application: Application) {
        guard self.state != .unknown else { return }
        for session in self.centralSessions where session.application === application {
            if application.visibleState(self.state) != .poweredOn { session.giveUp() }
            session.tellState()
        }
        for session in self.peripheralSessions where session.application === application {
            if application.visibleState(self.state) != .poweredOn { session.giveUp() }
            session.tellState()
        }
        self.flush()
    }

    /// An app ends: its managers are gone. What those with a restore identifier did goes on, unless it ends for good.
    func applicationEnds(_ application: Application, isForGood: Bool) {
        for session in self.centralSessions where session.application === application {
            if session.estate == nil { session.drainCommands() }
            let isLeft = !isForGood && session.isPreserved && application.modes.contains(.central)
            if isLeft, session.toldState == .poweredOn {
                if session.estate == nil { session.leaveToSuccessor() }
            } else {
                session.end()
            }
        }
        for session in self.peripheralSessions where session.application === application {
            if session.estate == nil { session.drainCommands() }
            let isLeft = !isForGood && session.isPreserved && application.modes.contains(.peripheral)
            if isLeft, session.toldState == .poweredOn {
                if session.estate == nil { session.leaveToSuccessor() }
            } else {
                session.end()
            }
        }
        self.flush()
    }

    // MARK: Sessions that outlive their managers

    /// The session that a new manager takes over in place of its own.
    func heritage(of session: CentralSession) -> CentralSession? {
        guard let application = session.application, let identifier = session.keeper?.identifier else { return nil }
        return self.centralSessions.first {
            $0.estate != nil && $0.application === application && $0.keeper?.identifier == identifier
        }
    }

    /// The session that a new manager takes over in place of its own.
    func heritage(of session: PeripheralSession) -> PeripheralSession? {
        guard let application = session.application, let identifier = session.keeper?.identifier else { return nil }
        return self.peripheralSessions.first {
            $0.estate != nil && $0.application === application && $0.keeper?.identifier == identifier
        }
    }
}
