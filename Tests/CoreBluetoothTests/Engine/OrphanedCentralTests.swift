// A central manager whose app the system has ended, and Bluetooth that is switched off before the app is launched
// again.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Central sessions that outlive their manager, and a stop")
struct OrphanedCentralTests {
    @Test("13.1 what a central manager had begun ends when Bluetooth is switched off while its app is not there")
    func switchedOff() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Curious")
        let policy = PolicyStub("app")
        func sessionCount() -> Int? {
            adapter.readEngine(in: testbed) { core -> Int in core.centralSessions.count }
        }
        let first = policy.launchCentral(on: adapter, in: testbed)
        first.manager.scanForPeripherals(withServices: [IDs.service])
        testbed.run(.milliseconds(10))
        policy.restart(in: testbed)
        #expect(sessionCount() == 1)
        adapter.setPowered(false)
        testbed.run()
        #expect(sessionCount() == 0)
        adapter.setPowered(true)
        testbed.run()
        let second = policy.launchCentral(on: adapter, in: testbed)
        #expect(second.calls == ["state 5"] && second.restored.isEmpty && !second.manager.isScanning)
        #expect(sessionCount() == 1)
        withExtendedLifetime(first) {}
    }
}
