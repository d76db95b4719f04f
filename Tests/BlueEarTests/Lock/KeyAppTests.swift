// The article's story: the key's app is ended while its owner is away, and launched again on return.

import CoreBluetoothTesting
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("The key's app, and the lock's")
struct KeyAppTests {
    /// The key's events of each launch.
    private final class EventLog {
        var launches: [[ElectronicKey.Event]] = []
        var last: [ElectronicKey.Event] { launches.last ?? [] }
    }

    /// A lock, and the app of its key on a phone.
    private func install(
        in world: World,
        restoreIdentifier: String? = "key"
    ) -> (lock: ElectronicLock, phone: Device, app: App<ElectronicKey>, log: EventLog) {
        let lock = world.addDevice("door").run { ElectronicLock(secret: "sesame") }
        lock.generator = SeededNumbers(1)
        let phone = world.addDevice("phone")
        let log = EventLog()
        let app = phone.install("Key", backgroundModes: .central) {
            let key = ElectronicKey(secret: "sesame", restoreIdentifier: restoreIdentifier)
            key.manager.scheduler = WorldScheduler(world)
            log.launches.append([])
            key.onEvent = { event in
                if case .stateChanged = event { return }
                log.launches[log.launches.count - 1].append(event)
            }
            key.begin()
            return key
        }
        return (lock, phone, app, log)
    }

    /// The owner is at home, then so far away that the link is lost; the app is in the background, and suspended.
    private func leaveHome(_ world: World, _ phone: Device, _ lock: ElectronicLock, _ app: App<ElectronicKey>) throws {
        app.launch()
        try world.run(until: lock.isOpen)
        app.enterBackground()
        world.advance(by: .seconds(15))
        #expect(app.state == .suspended)
        #expect(lock.isOpen)
        phone.distance = 1000
        try world.run(until: !lock.isOpen)
        world.advance(by: .seconds(30))
        #expect(app.state == .suspended)
    }

    @Test("launches the key's app again and opens the lock on return")
    func endedWhileAway() throws {
        try withWorld { world in
            let (lock, phone, app, log) = install(in: world)
            try leaveHome(world, phone, lock, app)
            #expect(log.last.last == .away)
            app.terminate()
            #expect(app.instance == nil)
            world.advance(by: .seconds(3600))
            #expect(app.launches == [.byUser])
            phone.distance = 2
            try world.run(until: lock.isOpen)
            #expect(app.launches == [.byUser, .bySystem])
            // Restored first, then connected without a search.
            guard case .restored(let peers)? = log.last.first else {
                Issue.record("not restored first: \(log.last)")
                return
            }
            #expect(peers.count == 1)
            try world.run(until: log.last.contains(.opened))
            #expect(!log.last.contains(.searching))
            // The lock stays open while the app sleeps, and closes when the owner leaves again.
            world.advance(by: .seconds(60))
            #expect(app.state == .suspended)
            #expect(lock.isOpen)
            phone.distance = 1000
            try world.run(until: !lock.isOpen)
        }
    }

    @Test("keeps the link of an app that is ended at home, and launches it when the owner leaves")
    func endedAtHome() throws {
        try withWorld { world in
            let (lock, phone, app, log) = install(in: world)
            app.launch()
            try world.run(until: lock.isOpen)
            app.enterBackground()
            world.advance(by: .seconds(15))
            app.terminate()
            world.advance(by: .seconds(600))
            #expect(lock.isOpen)
            #expect(app.instance == nil)
            phone.distance = 1000
            try world.run(until: !lock.isOpen)
            try world.run(until: app.launches == [.byUser, .bySystem])
            world.advance(by: .seconds(60))
            phone.distance = 2
            try world.run(until: lock.isOpen)
            try world.run(until: log.last.contains(.opened))
        }
    }

    @Test("keeps the lock closed without a restore identifier, or after a force quit", arguments: [true, false])
    func notRestored(hasIdentifier: Bool) throws {
        try withWorld { world in
            let (lock, phone, app, _) = install(in: world, restoreIdentifier: hasIdentifier ? "key" : nil)
            try leaveHome(world, phone, lock, app)
            if hasIdentifier { app.forceQuit() } else { app.terminate() }
            phone.distance = 2
            world.advance(by: .seconds(600))
            #expect(!lock.isOpen)
            #expect(app.launches == [.byUser])
            // Opened by hand, it is a key like any other.
            app.launch()
            try world.run(until: lock.isOpen)
        }
    }

    @Test("launches the lock's app when a key comes")
    func lockApp() throws {
        try withWorld { world in
            let door = world.addDevice("door")
            var launchCount: UInt64 = 0
            let app = door.install("Lock", backgroundModes: .peripheral) {
                let lock = ElectronicLock(secret: "sesame", restoreIdentifier: "lock")
                launchCount += 1
                lock.generator = SeededNumbers(launchCount)
                return lock
            }
            app.launch()
            world.advance(by: .seconds(1))
            let phone = world.addDevice("phone", distance: 1000)
            let key = ElectronicKey(secret: "sesame")
            key.manager.scheduler = WorldScheduler(world)
            phone.run { key.begin() }
            phone.distance = 2
            try world.run(until: key.hasOpened)
            phone.distance = 1000
            try world.run(until: !key.hasOpened && app.instance?.isOpen == false)
            app.enterBackground()
            world.advance(by: .seconds(15))
            app.terminate()
            world.advance(by: .seconds(60))
            #expect(app.instance == nil)
            phone.distance = 2
            try world.run(until: key.hasOpened)
            #expect(app.launches == [.byUser, .bySystem])
            #expect(app.instance?.isOpen == true)
        }
    }

    @Test("launches an ended app with the next message, and loses nothing", arguments: [true, false])
    func messengerEnded(isListeners: Bool) throws {
        try withWorld { world in
            var speakers: [Speaker] = []
            var listeners: [Listener] = []
            let speaking = world.addDevice("speaker")
            let listening = world.addDevice("listener")
            let speakerApp = speaking.install("Speaker", backgroundModes: .peripheral) {
                let speaker = Speaker(["Hello": "Darkness"], on: speaking.adapter, restoreIdentifier: "speaker")
                speakers = [speaker]
                return speaker
            }
            let listenerApp = listening.install("Listener", backgroundModes: .central) {
                let listener = Listener(["Yo": "Lo"], on: listening.adapter, scheduler: WorldScheduler(world))
                listener.manager.stays = true
                listener.manager.restoreIdentifier = "listener"
                listeners = [listener]
                listener.scan()
                return listener
            }
            speakerApp.launch()
            listenerApp.launch()
            try world.run(until: listeners[0].sent == [["Yo": "Lo"]])
            let message = ["wake": "up", "long": String(repeating: "x", count: 2_000)]
            func isHeard(_ message: [String: String], byListener: Bool) -> Bool {
                (byListener ? listeners.first?.received.last : speakers.first?.received.last?.message) == message
            }
            func send(_ message: [String: String], byListener: Bool) throws {
                if byListener { try listeners[0].manager.send(message) } else { try speakers[0].manager.send(message) }
            }
            if isListeners { listeners = [] } else { speakers = [] }
            if isListeners { listenerApp.terminate() } else { speakerApp.terminate() }
            try send(message, byListener: !isListeners)
            try world.run(until: isHeard(message, byListener: isListeners))
            #expect((isListeners ? listenerApp.launches : speakerApp.launches) == [.byUser, .bySystem])
            try send(["I am": "awake"], byListener: isListeners)
            try world.run(until: isHeard(["I am": "awake"], byListener: !isListeners))
            #expect(listeners.allSatisfy { $0.errors.isEmpty } && speakers.allSatisfy { $0.errors.isEmpty })
        }
    }
}
