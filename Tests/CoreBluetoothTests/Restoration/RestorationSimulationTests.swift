// A conversation in which either process may be killed after any step.

import Fixtures
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

/// Apps in both processes as they should be written: they take up what is restored, and do what is missing.
private final class RestartedApps {
    let testbed: Testbed
    let curious: RestartableDevice
    let crystal: RestartableDevice
    private(set) var ball: PeripheralApp
    private(set) var central: CentralApp

    init(seed: UInt64) {
        self.testbed = Testbed(seed: seed)
        self.curious = RestartableDevice("Curious", in: self.testbed)
        self.crystal = RestartableDevice("Crystal", in: self.testbed)
        self.ball = PeripheralApp(on: self.crystal.adapter, restoring: "ball")
        self.central = CentralApp(on: self.curious.adapter, restoring: "asker")
    }

    func killCentral() {
        self.curious.restart()
        self.central = CentralApp(on: self.curious.adapter, restoring: "asker")
    }

    func killBall() {
        self.crystal.restart()
        self.ball = PeripheralApp(on: self.crystal.adapter, restoring: "ball")
    }

    /// The ball's answer: the restored one, or the app's own.
    var answer: CBMutableCharacteristic {
        let restored = self.ball.restoredServices.first?.characteristics?.first { $0.uuid == IDs.answer }
        return restored as? CBMutableCharacteristic ?? self.ball.answer
    }

    /// Does the next thing that is missing, as an app does that looks at what it has.
    func step() {
        if self.ball.manager.state == .poweredOn {
            let isRestored = self.ball.restored.first?[CBPeripheralManagerRestoredStateServicesKey] != nil
            if !isRestored, !self.ball.calls.contains(where: { $0.hasPrefix("added") }) {
                self.ball.manager.add(self.ball.ball)
            } else if !self.ball.manager.isAdvertising {
                self.ball.advertise(name: "Crystal")
            }
        }
        guard self.central.manager.state == .poweredOn else { return }
        guard let peripheral = self.central.found.first else {
            if !self.central.manager.isScanning {
                self.central.manager.scanForPeripherals(withServices: [IDs.service])
            }
            return
        }
        switch peripheral.state {
        case .disconnected: self.central.manager.connect(peripheral)
        case .connecting, .disconnecting: break
        case .connected:
            if self.central.manager.isScanning { return self.central.manager.stopScan() }
            guard let service = peripheral.services?.first else {
                return peripheral.discoverServices([IDs.service])
            }
            guard let answer = service.characteristics?.first(where: { $0.uuid == IDs.answer }) else {
                return peripheral.discoverCharacteristics(nil, for: service)
            }
            if !answer.isNotifying { peripheral.setNotifyValue(true, for: answer) }
        }
    }

    /// Whether a value that the ball sends arrives.
    func isTalking(_ text: String) -> Bool {
        guard self.answer.subscribedCentrals?.isEmpty == false else { return false }
        self.ball.manager.updateValue(text.octets, for: self.answer, onSubscribedCentrals: nil)
        self.testbed.run(.milliseconds(5))
        return self.central.values.last == text
    }
}

@Suite("13.1 Restoration at every step")
struct RestorationSimulationTests {
    @Test(
        "13.1 a process that is killed at any time restores what it had, and the apps go on",
        arguments: simulationSeeds(12)
    )
    func restarts(seed: UInt64) {
        var choices = SeededChoices(seed: seed)
        let apps = RestartedApps(seed: seed)
        CapturedLog().capture {
            for _ in 0..<60 {
                apps.step()
                // A turn or some time: a process may be killed between a call and its callback.
                switch choices.below(4) {
                case 0: apps.testbed.loop.run()
                case 1: apps.testbed.run(.milliseconds(1))
                case 2: apps.testbed.run(.milliseconds(Int64(choices.below(200))))
                default: break
                }
                switch choices.below(8) {
                case 0: apps.killCentral()
                case 1: apps.killBall()
                default: break
                }
            }
            // The last link may have to run into its timeout before the ball is heard again.
            var rounds = 0
            while rounds < 3000, !apps.isTalking("\(rounds)") {
                apps.step()
                apps.testbed.run(.milliseconds(20))
                rounds += 1
            }
            #expect(rounds < 3000, "\(apps.central.calls) \(apps.ball.calls)")
        }
        // No callback is out of order.
        for calls in [apps.central.calls, apps.ball.calls] {
            #expect(calls.dropFirst().allSatisfy { !$0.hasPrefix("restore") })
        }
    }
}
