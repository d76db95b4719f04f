import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("13.2 Connection events")
struct ConnectionEventsTests {
    /// A ball with two services, and a manager that watches the central's adapter.
    private struct Setup {
        let talk: Conversation
        let watcher: CentralApp
        let peripheral: CBPeripheral

        init() throws {
            let talk = Conversation { ball in
                ball.manager.add(CBMutableService(type: IDs.other, primary: true))
                ball.open()
            }
            self.talk = talk
            self.watcher = talk.testbed.central(on: talk.centralAdapter)
            self.watcher.calls = []
            self.peripheral = try talk.find()
            talk.central.manager.stopScan()
        }

        func watch(_ options: [CBConnectionEventMatchingOption: Any]?) {
            self.watcher.manager.registerForConnectionEvents(options: options)
            self.talk.testbed.run(.milliseconds(1))
        }

        func connect() {
            self.talk.central.connect(self.peripheral, in: self.talk.testbed)
            self.talk.testbed.run(.milliseconds(100))
        }

        func disconnect() {
            self.talk.central.disconnect(self.peripheral, in: self.talk.testbed)
            self.talk.testbed.run(.milliseconds(100))
        }

        func discover(_ services: [CBUUID]?) {
            self.peripheral.discoverServices(services)
            self.talk.testbed.run(.milliseconds(500))
        }
    }

    @Test("13.2 reports a peer known by its identifier once for each link, also if its services match")
    func identifier() throws {
        let setup = try Setup()
        setup.watch([:])
        setup.connect()
        setup.disconnect()
        #expect(setup.watcher.calls.isEmpty, "nothing was asked for")
        setup.watch([
            .serviceUUIDs: [IDs.service], .peripheralUUIDs: [UUID(random: 7, 7), setup.peripheral.identifier],
        ])
        for _ in 1...2 {
            setup.connect()
            setup.discover(nil)
            setup.disconnect()
        }
        #expect(setup.watcher.calls == ["event 1", "event 0", "event 1", "event 0"])
        let seen = try #require(setup.watcher.found.first)
        #expect(seen !== setup.peripheral && seen.identifier == setup.peripheral.identifier)
    }

    @Test("13.2 reports a peer with two of the services once for each link")
    func twoServices() throws {
        let setup = try Setup()
        setup.watch([.serviceUUIDs: [IDs.service, IDs.other]])
        setup.connect()
        #expect(setup.watcher.calls.isEmpty)
        setup.discover([IDs.other])
        #expect(setup.watcher.calls == ["event 1"])
        setup.discover([IDs.service])
        #expect(setup.watcher.calls == ["event 1"])
        setup.disconnect()
        #expect(setup.watcher.calls == ["event 1", "event 0"])
        setup.connect()
        #expect(setup.watcher.calls.count == 2)
        setup.discover(nil)
        #expect(setup.watcher.calls == ["event 1", "event 0", "event 1"])
    }

    @Test("13.2 reports the end of a link that existed before the registration, and nothing after it was withdrawn")
    func later() throws {
        let setup = try Setup()
        setup.connect()
        setup.discover([IDs.service])
        setup.watch([.serviceUUIDs: [IDs.service]])
        setup.discover([IDs.service])
        #expect(setup.watcher.calls.isEmpty, "it was known before")
        setup.disconnect()
        #expect(setup.watcher.calls == ["event 0"])
        setup.watch(nil)
        setup.connect()
        setup.discover(nil)
        setup.disconnect()
        #expect(setup.watcher.calls == ["event 0"])
    }
}
