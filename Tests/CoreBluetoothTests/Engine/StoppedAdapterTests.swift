// An adapter that is switched off and on again, and an app that ends meanwhile or before: what the others had goes on,
// or begins anew as ever, and nothing is left over from before.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("1.6 13.1 What is left when an adapter stops")
struct StoppedAdapterTests {
    @Test("4.1 13.1 an app can scan again after Bluetooth was off, where another app's session ended with that")
    func scanAfterOrphan() {
        let talk = Conversation()
        let policy = PolicyStub("app")
        let adapter = talk.testbed.adapter("Third")
        let first = policy.launchCentral(on: adapter, in: talk.testbed)
        let other = CentralApp(on: adapter)
        talk.testbed.run { other.manager.state == .poweredOn }
        other.manager.scanForPeripherals(withServices: [IDs.other])
        talk.testbed.run()
        policy.restart(in: talk.testbed)
        func counts() -> [Int]? {
            adapter.readEngine(in: talk.testbed) { core -> [Int] in
                [core.centralSessions.count, core.centralSessions.count { $0.preservedState != nil }]
            }
        }
        #expect(counts() == [2, 1])
        adapter.setPowered(false)
        talk.testbed.run()
        #expect(counts() == [1, 0] && !other.manager.isScanning)
        adapter.setPowered(true)
        talk.testbed.run { other.manager.state == .poweredOn }
        other.manager.scanForPeripherals(withServices: [IDs.service])
        #expect(talk.testbed.run { other.count("discover Crystal") == 1 })
        withExtendedLifetime(first) {}
    }

    @Test("13.1 events that waited for an app when the system ended it are not reported to its next process")
    func waitingEvents() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Curious")
        let policy = PolicyStub("app")
        let first = policy.launchCentral(on: adapter, in: testbed)
        testbed.run(.milliseconds(1))
        func waiting() -> Int? {
            adapter.readEngine(in: testbed) { core -> Int in
                core.centralSessions.first?.mailboxes.outbox.count ?? -1
            }
        }
        policy.presentDelivery = .deferred
        let isReported = adapter.readEngine(in: testbed) { core -> Bool in
            guard let session = core.centralSessions.first else { return false }
            let address = DeviceAddress(1, kind: .public)
            let peer = PeerDescription(identifier: UUID(random: 1, 2), address: address)
            session.report(.connectionEvent(peer, .peerConnected))
            core.flush()
            return true
        }
        #expect(isReported == true && waiting() == 1)
        policy.restart(in: testbed)
        #expect(waiting() == 0)
        policy.presentDelivery = .now
        let second = policy.launchCentral(on: adapter, in: testbed)
        testbed.run(.milliseconds(1))
        #expect(second.calls == ["restore 0", "state 5"] && first.calls == ["state 5"])
    }

    @Test("The storage of an adapter is opened once, also where its controller is ready once more")
    func storage() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Curious")
        let central = CentralApp(on: adapter)
        testbed.run { central.manager.state == .poweredOn }
        func writer() -> ObjectIdentifier? {
            adapter.readEngine(in: testbed) { core -> ObjectIdentifier? in
                core.writer.map { ObjectIdentifier($0) }
            } ?? nil
        }
        let first = writer()
        #expect(first != nil)
        adapter.setPowered(false)
        testbed.run()
        #expect(writer() == first)
        adapter.setPowered(true)
        testbed.run { central.manager.state == .poweredOn }
        #expect(writer() == first)
    }
}
