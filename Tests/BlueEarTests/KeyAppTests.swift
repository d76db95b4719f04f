// The article's story: the key's app is ended by the system while its owner is away; the request for the connection
// survives it; on return the lock opens, and the app is launched with what it had.

import CoreBluetoothTesting
import Fixtures
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("The key's app, and the lock's")
struct KeyAppTests {
    /// What happened to the key, launch by launch.
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
        lock.onEvent = { note($0) }
        let phone = world.addDevice("phone")
        let log = EventLog()
        let app = phone.install("Key", backgroundModes: .central) {
            let key = ElectronicKey(secret: "sesame", restoreIdentifier: restoreIdentifier)
            key.manager.scheduler = WorldScheduler(world)
            log.launches.append([])
            key.onEvent = { event in
                note(event)
                if case .stateChanged = event { return }
                log.launches[log.launches.count - 1].append(event)
            }
            key.begin()
            return key
        }
        return (lock, phone, app, log)
    }

    /// The owner is at home, then away so far that the link is lost; the app is in the background, and suspended.
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

    @Test(
        "The app is ended by the system while the owner is away: on return the lock opens, and the app is launched again"
    )
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
            // Restored first, then connected: nothing was searched, and nobody touched the phone.
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

    @Test("Ended and launched again, and again: a week of coming and going")
    func aWeek() throws {
        try withWorld { world in
            let (lock, phone, app, log) = install(in: world)
            try leaveHome(world, phone, lock, app)
            for day in 1...7 {
                app.terminate()
                world.advance(by: .seconds(600))
                phone.distance = 2
                try world.run(until: lock.isOpen)
                #expect(app.launches.count == day + 1)
                world.advance(by: .seconds(60))
                phone.distance = 1000
                try world.run(until: !lock.isOpen)
                world.advance(by: .seconds(30))
            }
            #expect(log.launches.count == app.launches.count)
            #expect(log.launches.dropFirst().allSatisfy { if case .restored? = $0.first { true } else { false } })
        }
    }

    @Test("The app is ended at home: the link stays, the lock is open, and the app is launched when the owner leaves")
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

    @Test(
        "Without an identifier, or ended by its owner, the app does not come back, and the lock stays closed",
        arguments: [true, false]
    )
    func notRestored(hasIdentifier: Bool) throws {
        try withWorld { world in
            let (lock, phone, app, _) = install(in: world, restoreIdentifier: hasIdentifier ? "key" : nil)
            try leaveHome(world, phone, lock, app)
            if hasIdentifier { app.forceQuit() } else { app.terminate() }
            phone.distance = 2
            world.advance(by: .seconds(600))
            #expect(!lock.isOpen)
            #expect(app.launches == [.byUser])
            // Opened by hand it is a key like any other.
            app.launch()
            try world.run(until: lock.isOpen)
        }
    }

    @Test("The lock's app is ended by the system: it is launched when a key comes, and opens")
    func lockApp() throws {
        try withWorld { world in
            let door = world.addDevice("door")
            var launchCount: UInt64 = 0
            let app = door.install("Lock", backgroundModes: .peripheral) {
                let lock = ElectronicLock(secret: "sesame", restoreIdentifier: "lock")
                launchCount += 1
                lock.generator = SeededNumbers(launchCount)
                lock.onEvent = { note($0) }
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

    @Test(
        "The app of either half is ended under its link: the next message launches it, and nothing is lost",
        arguments: [true, false]
    )
    func messengerEnded(isListeners: Bool) throws {
        try withWorld { world in
            var speakers: [Speaker] = []
            var listeners: [Listener] = []
            let speaking = world.addDevice("speaker")
            let listening = world.addDevice("listener")
            let speakerApp = speaking.install("Speaker", backgroundModes: .peripheral) {
                let speaker = Speaker(["Hello": "Darkness"], on: speaking.adapter, restoreIdentifier: "speaker")
                speakers.append(speaker)
                return speaker
            }
            let listenerApp = listening.install("Listener", backgroundModes: .central) {
                let listener = Listener(["Yo": "Lo"], on: listening.adapter, scheduler: WorldScheduler(world))
                listener.manager.stays = true
                listener.manager.restoreIdentifier = "listener"
                listeners.append(listener)
                listener.scan()
                return listener
            }
            speakerApp.launch()
            listenerApp.launch()
            try world.run(until: listeners[0].sent == [["Yo": "Lo"]])
            let long = String(repeating: "x", count: 2_000)
            if isListeners {
                listeners = []
                listenerApp.terminate()
                try speakers[0].manager.send(["wake": "up", "long": long])
                try world.run(until: listeners.first?.received.last == ["wake": "up", "long": long])
                #expect(listenerApp.launches == [.byUser, .bySystem])
                try listeners[0].manager.send(["I am": "awake"])
                try world.run(until: speakers[0].received.last?.message == ["I am": "awake"])
            } else {
                speakers = []
                speakerApp.terminate()
                try listeners[0].manager.send(["wake": "up", "long": long])
                try world.run(until: speakers.first?.received.last?.message == ["wake": "up", "long": long])
                #expect(speakerApp.launches == [.byUser, .bySystem])
                // Who listened still does.
                try speakers[0].manager.send(["I am": "awake"])
                try world.run(until: listeners[0].received.last == ["I am": "awake"])
            }
            #expect(listeners.allSatisfy { $0.errors.isEmpty } && speakers.allSatisfy { $0.errors.isEmpty })
        }
    }
}
