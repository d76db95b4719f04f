// Two apps on one device: what one of them may no longer do, the other one still does.

import BluetoothHost
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("9.7 11.3 Apps beside each other")
struct NeighbouringAppsTests {
    /// Two peripheral apps of one device, each with a service and a name, and a central that hears every advertisement.
    private struct Setup {
        let testbed = Testbed()
        let one = PolicyStub("one")
        let two = PolicyStub("two")
        let adapter: BluetoothAdapter
        let first: PeripheralApp
        let second: PeripheralApp
        let central: CentralApp

        init() {
            let adapter = self.testbed.adapter("Crystal")
            self.adapter = adapter
            let first = self.one.make(in: self.testbed) { PeripheralApp(on: adapter) }
            let second = self.two.make(in: self.testbed) { PeripheralApp(on: adapter) }
            let central = CentralApp(on: self.testbed.adapter("Curious"))
            (self.first, self.second, self.central) = (first, second, central)
            self.testbed.run { first.manager.state == .poweredOn && second.manager.state == .poweredOn }
            self.testbed.run { central.manager.state == .poweredOn }
            first.open(name: "One")
            let service = CBMutableService(type: IDs.other, primary: true)
            service.characteristics = [second.answer]
            second.manager.add(service)
            second.advertise(name: "Two", services: [IDs.other])
            central.hearEverything()
        }

        /// The name and the services that are advertised.
        func heard() -> String { self.central.heard(in: self.testbed) }

        /// Whether the characteristic of each app is there.
        func arePublished() -> [Bool]? {
            guard let one = self.first.answer.publishedHandle, let two = self.second.answer.publishedHandle else {
                return nil
            }
            return self.adapter.readEngine(in: self.testbed) { core -> [Bool] in
                [one, two].map { handle in core.peripheralSessions.contains { $0.owns(handle) } }
            }
        }
    }

    @Test("9.7 11.3 services and advertisement of an app that may do nothing are gone, those of another stay")
    func nothing() {
        let setup = Setup()
        #expect(setup.heard() == "One [\"8E38\", \"FFF0\"]")
        #expect(setup.arePublished() == [true, true])
        setup.one.change(to: .nothing, in: setup.testbed)
        #expect(setup.heard() == "Two [\"FFF0\"]")
        #expect(setup.arePublished() == [false, true])
        setup.one.change(to: .everything, in: setup.testbed)
        #expect(setup.heard() == "One [\"8E38\", \"FFF0\"]")
        #expect(setup.arePublished() == [true, true])
        setup.two.change(to: .nothing, in: setup.testbed)
        #expect(setup.heard() == "One [\"8E38\"]")
        #expect(setup.arePublished() == [true, false])
        setup.one.change(to: .nothing, in: setup.testbed)
        #expect(setup.heard() == "nothing")
        #expect(setup.arePublished() == [false, false])
        setup.two.change(to: .everything, in: setup.testbed)
        #expect(setup.heard() == "Two [\"FFF0\"]")
    }

    @Test("11.3 in the background an app keeps its services and loses its name to another app")
    func background() {
        let setup = Setup()
        setup.one.change(to: .background, in: setup.testbed)
        #expect(setup.heard() == "Two [\"FFF0\"]")
        #expect(setup.arePublished() == [true, true])
        #expect(setup.first.manager.isAdvertising && setup.second.manager.isAdvertising)
        setup.two.change(to: .background, in: setup.testbed)
        #expect(setup.heard() == "- []")
        #expect(setup.arePublished() == [true, true])
    }

    @Test("13.1 the end of an app ends its services and its advertisement, and not those of another")
    func end() {
        let setup = Setup()
        #expect(setup.heard() == "One [\"8E38\", \"FFF0\"]")
        setup.one.restart(in: setup.testbed)
        #expect(setup.heard() == "Two [\"FFF0\"]")
        let handle = setup.second.answer.publishedHandle
        let state = setup.adapter.readEngine(in: setup.testbed) { core -> [Bool] in
            [core.peripheralSessions.count == 1, handle.flatMap { core.peripheralSessions.first?.owns($0) } ?? false]
        }
        #expect(state == [true, true])
    }
}
