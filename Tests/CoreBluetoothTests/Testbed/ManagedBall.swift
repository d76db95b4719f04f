// A ball of an app whose permissions a test decides, and a central: the beginning of the tests of what such an app may
// publish and advertise.

import Testbed

@testable import CoreBluetooth

/// A ball of an app with a policy, and a central, each on a device of its own.
struct ManagedBall {
    let testbed = Testbed()
    let policy = PolicyStub("ball")
    let adapter: BluetoothAdapter
    let ball: PeripheralApp
    let central: CentralApp

    /// Both are powered on.
    init() {
        let adapter = self.testbed.adapter("Crystal")
        let ball = self.policy.make(in: self.testbed) { PeripheralApp(on: adapter) }
        let central = CentralApp(on: self.testbed.adapter("Curious"))
        (self.adapter, self.ball, self.central) = (adapter, ball, central)
        self.testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
    }
}
