import CoreBluetoothTesting
import Foundation
import Testbed
import Testing

@testable import BlueEar

@Suite("The messenger in a world of devices")
struct WorldTests {
    private func listener(
        _ message: [String: String]?,
        on device: Device,
        in world: World,
        _ prepare: (CentralRole.BluetoothManager) -> Void = { _ in }
    ) -> Listener {
        let listener = Listener(message, on: device.adapter, scheduler: WorldScheduler(world))
        prepare(listener.manager)
        listener.scan()
        return listener
    }

    /// A peripheral that accepts a link, and answers nothing on it.
    private func unresponsiveSpeaker(in world: World) -> (Device, Speaker) {
        let device = world.addDevice("speaker")
        device.isUnresponsive = true
        return (device, Speaker(["Hello": "Darkness"], on: device.adapter))
    }

    @Test("reports an unresponsive peripheral after ten seconds, and tries again")
    func silent() throws {
        try withWorld { world in
            let (device, speaker) = self.unresponsiveSpeaker(in: world)
            let listener = listener(["Yo": "Lo"], on: world.addDevice("listener"), in: world)
            try world.run(until: listener.calls.contains("didConnectPeripheral"))
            try world.run(until: listener.calls.contains("didFailConnection"), within: .seconds(11))
            #expect(listener.errors == [.unanswered])
            device.isUnresponsive = false
            try world.run(until: listener.isFinished)
            #expect(speaker.received.map(\.message) == [["Yo": "Lo"]])
        }
    }

    @Test("counts the ten seconds from when the user became idle", arguments: [3.0, 10.0])
    func silentAfterPairing(idleTime: TimeInterval) throws {
        try withWorld { world in
            let (_, speaker) = self.unresponsiveSpeaker(in: world)
            var connected = Duration.zero
            let listener = listener(["Yo": "Lo"], on: world.addDevice("listener"), in: world) { manager in
                // When the ten seconds for the exploration are over, this is how long the user has been idle.
                manager.userIdleTime = { idleTime + max(0, (world.now - connected) / .seconds(1) - 10) }
            }
            try world.run(until: listener.calls.contains("didConnectPeripheral"), within: .seconds(5))
            connected = world.now
            world.advance(by: .seconds(20 - idleTime - 0.1))
            #expect(listener.errors.isEmpty)
            world.advance(by: .seconds(0.2))
            #expect(listener.errors == [.unanswered])
            withExtendedLifetime(speaker) {}
        }
    }

    @Test("sends again after a peripheral stopped responding to a write")
    func silentWhileWriting() throws {
        try withWorld { world in
            let device = world.addDevice("speaker")
            let speaker = Speaker(["Hello": "Darkness"], on: device.adapter)
            let listener = listener(["Yo": "Lo"], on: world.addDevice("listener"), in: world) { $0.stays = true }
            try world.run(until: speaker.received.count == 1)
            device.isUnresponsive = true
            try listener.manager.send(["patience": "is a virtue"])
            try world.run(until: listener.calls.last == "didDisconnectPeripheral", within: .seconds(40))
            device.isUnresponsive = false
            try world.run(until: speaker.received.contains { $0.message == ["patience": "is a virtue"] })
            try world.run(until: listener.sent.contains(["patience": "is a virtue"]))
        }
    }

    @Test("explores changed services and talks on")
    func changedServices() throws {
        try withWorld { world in
            let peripheral = ArticlePeripheral(on: world.addDevice("speaker").adapter)
            let listener = listener(["Yo": "Lo"], on: world.addDevice("listener"), in: world) { $0.stays = true }
            try world.run(until: peripheral.received.count == 1)
            peripheral.peripheralManager?.removeAllServices()
            peripheral.peripheralManager?.add(peripheral.service)
            try world.run(until: peripheral.received.count == 2)
            #expect(listener.received.count == 2)
            #expect(listener.begun == 2 && listener.ended == 1)
            #expect(!listener.calls.contains("didDisconnectPeripheral"))
        }
    }

    @Test("delivers a long message although a controller fails", arguments: [true, false])
    func controllerFailure(isListeners: Bool) throws {
        try withWorld { world in
            let first = world.addDevice("speaker")
            let second = world.addDevice("listener")
            let speaker = Speaker(nil, on: first.adapter)
            let listener = listener(nil, on: second, in: world) { $0.stays = true }
            try world.run(until: listener.begun == 1)
            let long = ["long": String(repeating: "x", count: 30_000)]
            try listener.manager.send(long)
            world.advance(by: .milliseconds(50))
            #expect(speaker.received.isEmpty)
            (isListeners ? second : first).resetController()
            try world.run(until: speaker.received.map(\.message) == [long], within: .seconds(60))
            #expect(listener.begun == 2)
        }
    }
}
