// What is stored of a central manager whose app was not told yet that connections have ended: all of them, each once,
// also where the app asks for one of them again meanwhile.

import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.1 Ends that the app was not told")
struct UntoldEndsTests {
    /// The identifiers of the peripherals that would be restored now, in order.
    private func restorable(_ setup: RestorationSetup) -> [UUID] {
        let found = setup.curious.adapter.readEngine(in: setup.testbed) { core -> [UUID] in
            core.centralSessions.first?.makeRecord().peripherals.map(\.identifier) ?? []
        }
        return found ?? []
    }

    /// The same for whether each was connected.
    private func connected(_ setup: RestorationSetup) -> [Bool] {
        let found = setup.curious.adapter.readEngine(in: setup.testbed) { core -> [Bool] in
            core.centralSessions.first?.makeRecord().peripherals.map(\.wasConnected) ?? []
        }
        return found ?? []
    }

    @Test("13.1 two ends are restored beside each other, and one that is asked for again is restored once")
    func twoEnds() throws {
        let setup = RestorationSetup(.central)
        let onyx = RestartableDevice("Onyx", in: setup.testbed)
        let other = PeripheralApp(on: onyx.adapter)
        setup.testbed.run { other.manager.state == .poweredOn }
        other.open(name: "Onyx")
        let central = setup.central
        central.manager.scanForPeripherals(withServices: [IDs.service])
        try #require(setup.testbed.run { central.found.count == 2 && central.found.allSatisfy { $0.name != nil } })
        central.manager.stopScan()
        let first = try #require(central.found.first { $0.name == "Crystal" })
        let second = try #require(central.found.first { $0.name == "Onyx" })
        central.manager.connect(first)
        try #require(setup.testbed.run { first.state == .connected })
        central.manager.connect(second)
        try #require(setup.testbed.run { second.state == .connected })
        let both = Set([first.identifier, second.identifier])
        #expect(Set(self.restorable(setup)) == both && self.connected(setup) == [true, true])

        setup.curious.adapter.holdCallbacks(for: .seconds(60))
        setup.crystal.adapter.setPowered(false)
        setup.testbed.run(.seconds(15))
        #expect(self.restorable(setup) == [second.identifier, first.identifier])
        #expect(self.connected(setup) == [true, true])
        onyx.adapter.setPowered(false)
        setup.testbed.run(.seconds(15))
        // In the order in which they ended.
        #expect(self.restorable(setup) == [first.identifier, second.identifier])
        #expect(self.connected(setup) == [true, true])
        #expect(!central.calls.contains { $0.hasPrefix("disconnect") })
        // The app takes the first for connected, and asks for it once more.
        central.manager.connect(first)
        setup.testbed.run(.seconds(1))
        #expect(self.restorable(setup) == [first.identifier, second.identifier])
        #expect(self.connected(setup) == [false, true])
        // When it has been told, only what it waits for is left.
        setup.testbed.run(.seconds(60))
        #expect(first.state == .connecting && second.state == .disconnected)
        #expect(self.restorable(setup) == [first.identifier])
        withExtendedLifetime((other, onyx)) {}
    }
}
