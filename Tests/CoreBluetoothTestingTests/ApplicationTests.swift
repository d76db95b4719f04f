// One app on one adapter, without devices: what the system is asked for.

import CoreBluetooth
import Testing

@testable import CoreBluetoothTesting

@Suite("An app")
struct ApplicationTests {
    private final class Recorder: ApplicationDelegate {
        var launches = 0
        var alerts: [ConnectionAlert] = []

        func applicationDidChangeState(_ application: Application) {}
        func applicationNeedsLaunch(_ application: Application) { self.launches += 1 }
        func application(_ application: Application, didShow alert: ConnectionAlert, about peripheral: String) {
            self.alerts.append(alert)
        }
    }

    private let recorder = Recorder()

    private func application(_ modes: BackgroundModes) -> Application {
        let application = Application(name: "app", modes: modes, eventLoop: World().loop)
        application.delegate = self.recorder
        return application
    }

    @Test("events that come before the launch ask for it once, and a later end asks again")
    func launch() {
        let application = self.application(.central)
        application.requestLaunch()
        #expect(self.recorder.launches == 0, "it never ran")
        for round in 1...2 {
            application.launch(inBackground: round == 2)
            application.requestLaunch()
            application.end(bySystem: true)
            #expect(self.recorder.launches == round - 1)
            application.requestLaunch()
            application.requestLaunch()
            #expect(self.recorder.launches == round)
        }
    }

    @Test("an alert is shown while the app is suspended and has no background mode, and then alone")
    func alerts() {
        for modes in [BackgroundModes.central, []] {
            let application = self.application(modes)
            application.launch(inBackground: false)
            application.show(.connection, about: "Thermo")
            application.suspend()
            application.show(.disconnection, about: "Thermo")
        }
        #expect(self.recorder.alerts == [.disconnection])
    }
}
