// Commands that reach a manager's session when they are of no use any more, or not yet: of an object that had the same
// place before, while Bluetooth is off, and on a connection that has not begun. And what a session forgets.

import BluetoothHost
import BluetoothTypes
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6 13.1 Commands at the wrong time")
struct SessionCommandsTests {
    @Test("5.3 the end of an object that had the same place before, or another one, ends no connection")
    func release() throws {
        let talk = Conversation()
        let peripheral = try talk.connect()
        talk.testbed.run(.seconds(3))
        let token = peripheral.token
        let states = talk.centralAdapter.readEngine(in: talk.testbed) { core -> [Bool] in
            guard let session = core.centralSessions.first else { return [] }
            func isEstablished() -> Bool { session.liveConnections.first?.isEstablished == true }
            var states = [isEstablished()]
            for other in [
                PeripheralToken(index: token.index, generation: token.generation &+ 1),
                PeripheralToken(index: token.index + 1, generation: token.generation),
                PeripheralToken(index: token.index + 7, generation: token.generation),
            ] {
                session.perform(.release(other))
                states.append(isEstablished())
            }
            core.flush()
            return states
        }
        #expect(states == [true, true, true, true])
        talk.testbed.run()
        #expect(peripheral.state == .connected && talk.central.count("disconnect 0") == 0)
    }

    @Test("13.1 a connection that is restored is waited for where Bluetooth is on, and at no other time")
    func restoredConnection() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Curious")
        let central = CentralApp(on: adapter)
        testbed.run { central.manager.state == .poweredOn }
        for isOn in [false, true] {
            adapter.setPowered(isOn)
            testbed.run()
            let counts = adapter.readEngine(in: testbed) { core -> [Int] in
                guard let session = core.centralSessions.first else { return [] }
                let id = ConnectionID(token: PeripheralToken(index: 0, generation: 0), attempt: 1)
                let address = DeviceAddress(0xC000_0000_0077, kind: .random)
                session.perform(.resume(id, address, ConnectOptions(), DiscoveredAttributes()))
                core.flush()
                return [session.liveConnections.count, core.peers.peers.count]
            }
            #expect(counts == (isOn ? [1, 1] : [0, 0]))
        }
    }

    @Test("13.1 services and an advertisement are restored where Bluetooth is on, and at no other time")
    func restoredServices() {
        let testbed = Testbed()
        let adapter = testbed.adapter("Crystal")
        let ball = PeripheralApp(on: adapter)
        testbed.run { ball.manager.state == .poweredOn }
        ball.manager.add(ball.ball)
        testbed.run()
        for isOn in [false, true] {
            adapter.setPowered(isOn)
            testbed.run()
            // The services, the events for the app, and whether it advertises.
            let counts = adapter.readEngine(in: testbed) { core -> [Int] in
                guard let session = core.peripheralSessions.first, let service = session.services.first?.service else {
                    return []
                }
                session.perform(.republish(service))
                session.perform(.resumeAdvertising(AdvertisedContent(localName: "Crystal")))
                let counts = [
                    session.services.count, session.mailboxes.outbox.count,
                    core.advertising.content(of: session) == nil ? 0 : 1,
                ]
                core.flush()
                return counts
            }
            #expect(counts == (isOn ? [1, 1, 1] : [1, 0, 0]))
        }
    }

    @Test("6.8 what is asked for on a connection that has not begun yet is not sent, though there is a link")
    func notBegun() throws {
        let talk = Conversation()
        let (peripheral, question, _) = try talk.discover()
        talk.testbed.run(.seconds(3))
        let handle = try #require(question.record?.valueHandle)
        let (other, same) = try talk.otherApp(knowing: peripheral)
        let options: [String: Any] = [CBConnectPeripheralOptionStartDelayKey: NSNumber(value: 2)]
        other.manager.connect(same, options: options)
        talk.testbed.run(.milliseconds(100))
        func ask() -> Bool? {
            talk.centralAdapter.readEngine(in: talk.testbed) { core -> Bool in
                guard let session = core.centralSessions.last, let connection = session.liveConnections.first else {
                    return false
                }
                let command = ByteBuffer(string: "command")
                session.perform(.writeWithoutResponse(connection.id, handle, command, invalidations: 0))
                let write = ValueWrite(attribute: .characteristic(handle), value: ByteBuffer(string: "request"))
                session.perform(.perform(connection.id, write, invalidations: 0))
                core.flush()
                return true
            }
        }
        #expect(ask() == true)
        talk.testbed.run()
        #expect(talk.ball.written.isEmpty && other.calls == ["state 5"] && same.state == .connecting)
        talk.testbed.run(.seconds(3))
        #expect(talk.ball.written.isEmpty && same.state == .connected)
        #expect(ask() == true)
        #expect(talk.testbed.run { talk.ball.written == ["command".octets, "request".octets] })
    }

    @Test("6.7 of a link that is gone an app waits for nothing, and nothing of it counts on the next one")
    func cancelled() throws {
        let talk = Conversation()
        let (peripheral, question, answer) = try talk.discover()
        talk.testbed.run(.seconds(3))
        let asked = try #require(question.record?.valueHandle)
        let told = try #require(answer.record?.valueHandle)
        let states = talk.centralAdapter.readEngine(in: talk.testbed) { core -> [Bool] in
            guard let connection = core.centralSessions.first?.liveConnections.first,
                let link = core.host.links.first?.id
            else { return [] }
            var states = [connection.isIdle]
            let write = ValueWrite(attribute: .characteristic(asked), value: ByteBuffer(string: "?"))
            connection.perform(write, invalidations: 0)
            states.append(connection.isIdle)
            connection.cancelAll()
            states.append(connection.isIdle)
            connection.resumption.begin()
            states.append(connection.isIdle)
            connection.cancelAll()
            states.append(connection.isIdle)
            // A value of 448 octets counts 512, and the window has 131,072.
            func receive(_ count: Int) -> Bool {
                for _ in 0..<count { connection.received(ByteBuffer(repeating: 1, count: 448), for: told, on: link) }
                return core.isHeldBack(link)
            }
            states.append(receive(256))
            connection.cancelAll()
            states.append(core.isHeldBack(link))
            states += [receive(255), receive(1)]
            core.flush()
            return states
        }
        #expect(states == [true, false, true, false, true, true, false, false, true])
        talk.testbed.run()
        #expect(peripheral.state == .connected)
    }

    @Test("13.1 ends that the app was not told of are forgotten with everything else that its manager does")
    func untoldEnds() throws {
        let setup = RestorationSetup(.central)
        let peripheral = try setup.connect()
        setup.curious.adapter.holdCallbacks(for: .seconds(60))
        setup.crystal.adapter.setPowered(false)
        setup.testbed.run(.seconds(15))
        let counts = setup.curious.adapter.readEngine(in: setup.testbed) { core -> [Int] in
            guard let session = core.centralSessions.first else { return [] }
            var counts = [session.unseenEnds.count, session.makeRecord().peripherals.count]
            session.cancelAll()
            counts += [session.unseenEnds.count, session.makeRecord().peripherals.count]
            core.flush()
            return counts
        }
        #expect(counts == [1, 1, 0, 0])
        withExtendedLifetime(peripheral) {}
    }
}
