import CoreBluetooth
import NIOCore
import Testing

@testable import CoreBluetoothTesting

@Suite("Application")
struct ApplicationTests {
    private final class Recorder: ApplicationDelegate {
        var launches = 0
        var changeCount = 0
        var alerts: [ConnectionAlert] = []

        func applicationDidChangeState(_ application: Application) { self.changeCount += 1 }
        func applicationNeedsLaunch(_ application: Application) { self.launches += 1 }
        func application(_ application: Application, didShow alert: ConnectionAlert, about peripheral: String) {
            self.alerts.append(alert)
        }
    }

    private let recorder = Recorder()

    private func application(_ modes: BackgroundModes, on loop: WorldLoop = World().loop) -> Application {
        let application = Application(name: "app", modes: modes, eventLoop: loop)
        application.delegate = self.recorder
        return application
    }

    @Test("asks for a launch once for each end by the system")
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

    @Test("shows alerts only while the app is suspended without the background mode")
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

    /// An app in a state.
    private func application(
        _ state: Application.State,
        _ modes: BackgroundModes = [],
        on loop: WorldLoop = WorldLoop()
    ) -> Application {
        let application = self.application(modes, on: loop)
        guard state != .notRunning else { return application }
        application.launch(inBackground: state == .background)
        if state == .suspended { application.suspend() }
        if state == .terminated { application.end(bySystem: true) }
        #expect(application.state == state)
        return application
    }

    @Test("changes the state by the actions of the user and the system, and reports each change once")
    func steps() {
        typealias State = Application.State
        let states: [State] = [.notRunning, .terminated, .suspended, .background, .foreground]
        func results(_ step: (Application) -> Void) -> [State] {
            states.map { state in
                let application = self.application(state)
                let count = self.recorder.changeCount
                step(application)
                // A change is reported once, and what is none is not.
                #expect(self.recorder.changeCount - count == (application.state == state ? 0 : 1))
                return application.state
            }
        }
        #expect(results { $0.enterForeground() } == [.notRunning, .terminated, .foreground, .foreground, .foreground])
        #expect(results { $0.enterBackground() } == [.notRunning, .terminated, .suspended, .background, .background])
        #expect(results { $0.suspend() } == [.notRunning, .terminated, .suspended, .suspended, .suspended])
        #expect(results { $0.wake() } == [.notRunning, .terminated, .background, .background, .foreground])
        #expect(results { $0.end(bySystem: true) } == [.notRunning] + Array(repeating: .terminated, count: 4))
        #expect(results { $0.end(bySystem: false) } == Array(repeating: .notRunning, count: 5))
        #expect(states.map { self.application($0).isRunning } == [false, false, false, true, true])
        #expect(states.map { self.application($0).exists } == [false, false, true, true, true])
        #expect(states.map { self.application($0).process } == [nil, nil, 1, 1, 1])
    }

    @Test("suspends an app ten seconds after it entered the background")
    func tenSeconds() {
        let loop = WorldLoop()
        let application = self.application(.background, on: loop)
        loop.advanceTime(by: .seconds(9))
        application.enterForeground()
        loop.advanceTime(by: .seconds(100))
        #expect(application.state == .foreground)
        for step in [{ $0.enterBackground() }, { $0.wake() }] as [(Application) -> Void] {
            step(application)
            loop.advanceTime(by: .seconds(10) - .nanoseconds(1))
            #expect(application.state == .background)
            loop.advanceTime(by: .nanoseconds(1))
            #expect(application.state == .suspended)
        }
    }

    @Test("permits and delivers what the state and the background modes allow")
    func policy() {
        let states: [Application.State] = [.notRunning, .terminated, .suspended, .background, .foreground]
        let roles: [(BackgroundModes, ManagerRole, ManagerRole)] = [
            (.central, .central, .peripheral), (.peripheral, .peripheral, .central),
        ]
        for (mode, own, other) in roles {
            let applications = states.map { self.application($0, mode) }
            #expect(
                applications.map { $0.permission(for: own) }
                    == [.nothing, .background, .background, .background, .everything]
            )
            #expect(
                applications.map { $0.permission(for: other) } == [.nothing, .nothing, .nothing, .nothing, .everything]
            )
            #expect(applications.map { $0.delivery(for: own) } == [.deferred, .launches, .wakes, .now, .now])
            #expect(applications.map { $0.delivery(for: other) } == [.deferred, .deferred, .deferred, .deferred, .now])
        }
    }

    @Test("runs an app's later work while it runs, holds it while suspended and drops it with the process")
    func work() {
        let loop = WorldLoop()
        let application = self.application(.foreground, on: loop)
        var done: [String] = []
        application.schedule(in: .seconds(1)) { done.append("at once") }
        loop.advanceTime(by: .seconds(1))
        application.schedule(in: .seconds(1)) { done.append("one") }
        application.schedule(in: .seconds(2)) { done.append("two") }
        application.suspend()
        loop.advanceTime(by: .seconds(3))
        #expect(done == ["at once"])
        application.wake()
        #expect(done == ["at once", "one", "two"])
        application.suspend()
        application.wake()
        #expect(done.count == 3)
        // What waits is gone with the process, and so is what was to be done later.
        application.schedule(in: .seconds(1)) { done.append("never") }
        application.schedule(in: .seconds(5)) { done.append("never") }
        application.suspend()
        loop.advanceTime(by: .seconds(2))
        application.end(bySystem: true)
        application.launch(inBackground: false)
        loop.advanceTime(by: .seconds(5))
        application.schedule(in: .seconds(1)) { done.append("never") }
        application.end(bySystem: false)
        loop.advanceTime(by: .seconds(2))
        #expect(done.count == 3 && application.launchCount == 2)
    }
}
