// What a peripheral reports to the central that explores it, or talks with it: services, notifications and values, also
// at the wrong time; and what the system reports to the half that shows itself.

import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("Callbacks to the messenger")
struct CentralCallbacksTests {
    private let broken = CBError(.connectionTimeout)
    private let refused = CBATTError(.insufficientAuthorization)

    private var errors: [(error: (any Error)?, reported: BlueEarError)] {
        [
            (nil, .notAnEar), (self.refused, .refused(.insufficientAuthorization)),
            (self.broken, .bluetooth(self.broken.localizedDescription)),
        ]
    }

    @Test("A peripheral whose service is not there any more is reported at once, and looked at again later")
    func withoutService() {
        let testbed = Testbed()
        let foreign = ArticlePeripheral(on: testbed.adapter())
        testbed.run(.seconds(1))
        foreign.peripheralManager?.removeAllServices()
        let listener = testbed.listener(nil)
        #expect(testbed.run(until: { !listener.errors.isEmpty }, within: .seconds(8)))
        #expect(listener.errors == [.notAnEar])
        #expect(testbed.run { listener.calls.suffix(2) == ["didFailConnection", "didDisconnectPeripheral"] })
        foreign.peripheralManager?.add(foreign.service)
        #expect(testbed.run { listener.isFinished })
        #expect(listener.errors == [.notAnEar])
    }

    @Test("A service, a characteristic or notifications that are not there are reported with their error")
    func exploration() throws {
        for (error, reported) in self.errors {
            for what in ["service", "no UUID", "characteristic", "notifications"] {
                let scene = try CentralScene(in: "exploring", limit: 60)
                let (manager, peripheral) = (scene.manager, scene.peripheral)
                let service = try #require(peripheral.services?.first)
                let other = CBUUID(string: "180D")
                switch what {
                case "service":
                    manager.serviceCBUUID = other
                    manager.peripheral(peripheral, didDiscoverServices: error)
                case "no UUID":
                    manager.characteristicCBUUID = nil
                    manager.peripheral(peripheral, didDiscoverServices: error)
                case "characteristic":
                    manager.characteristicCBUUID = other
                    manager.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
                default:
                    let mute = CBMutableCharacteristic(
                        type: other,
                        properties: .notify,
                        value: nil,
                        permissions: .readable
                    )
                    manager.peripheral(peripheral, didUpdateNotificationStateFor: mute, error: error)
                }
                let outcome = scene.outcome(what)
                #expect(outcome == "leaving 5|didFailConnection|0||||begun", "\(what)")
                #expect(scene.listener.errors == [reported], "\(what)")
            }
        }
        // An error of the notifications counts, also where there are some.
        let scene = try CentralScene(in: "exploring")
        #expect(scene.characteristic.isNotifying)
        scene.manager.peripheral(
            scene.peripheral,
            didUpdateNotificationStateFor: scene.characteristic,
            error: self.refused
        )
        #expect(scene.stage == "leaving 5" && scene.listener.errors == [.refused(.insufficientAuthorization)])
    }

    @Test("What is explored counts while this peripheral is explored")
    func late() throws {
        let other = try CentralScene()
        for name in CentralScene.names + ["another"] {
            let scene = try CentralScene(in: name == "another" ? "exploring" : name, limit: 60)
            if name == "another" { scene.manager.stage = scene.make("exploring", with: other.peripheral) }
            if name == "exploring" { continue }
            let (manager, peripheral) = (scene.manager, scene.peripheral)
            let service = try #require(peripheral.services?.first)
            let before = scene.outcome("before \(name)")
            manager.serviceCBUUID = CBUUID(string: "180D")
            manager.peripheral(peripheral, didDiscoverServices: nil)
            manager.characteristicCBUUID = CBUUID(string: "2A00")
            manager.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: nil)
            manager.peripheral(peripheral, didUpdateNotificationStateFor: scene.characteristic, error: nil)
            manager.peripheral(peripheral, didUpdateNotificationStateFor: scene.characteristic, error: self.broken)
            #expect(scene.outcome("late \(name)") == before && scene.listener.errors.isEmpty, "\(name)")
            #expect(scene.listener.begun == 1)
        }
        let scene = try CentralScene(in: "exploring", limit: 60)
        scene.manager.peripheral(
            scene.peripheral,
            didUpdateNotificationStateFor: scene.characteristic,
            error: nil
        )
        #expect(scene.stage == "talking" && scene.listener.begun == 2 && scene.manager.timer == nil)
    }

    @Test("A value that cannot be had is reported; who reads has nothing else and leaves, who listens stays")
    func brokenValue() throws {
        for reads in [false, true] {
            for (error, reported) in self.errors.dropFirst() {
                let scene = try CentralScene()
                scene.manager.reads = reads
                scene.manager.peripheral(
                    scene.peripheral,
                    didUpdateValueFor: scene.characteristic,
                    error: error
                )
                let outcome = scene.outcome("value \(reads)")
                let left = "leaving 5|didFailConnection|0||||begun"
                #expect(outcome == (reads ? left : "talking||0|||remembered|begun"))
                #expect(scene.listener.errors == [reported])
            }
        }
    }

    @Test("A value that comes before the confirmation of the notifications begins the talk; in other stages it is none")
    func earlyValue() throws {
        let other = try CentralScene()
        for name in CentralScene.names + ["another"] {
            let scene = try CentralScene(in: name == "another" ? "exploring" : name)
            if name == "another" { scene.manager.stage = scene.make("exploring", with: other.peripheral) }
            let before = scene.stage
            scene.manager.peripheral(scene.peripheral, didUpdateValueFor: scene.characteristic, error: self.refused)
            _ = scene.outcome("early \(name)")
            let isHeard = ["exploring", "talking"].contains(name)
            #expect(scene.stage == (isHeard ? "talking" : before), "\(name)")
            #expect(scene.listener.begun == (name == "exploring" ? 2 : 1), "\(name)")
            #expect(scene.listener.errors == (isHeard ? [.refused(.insufficientAuthorization)] : []), "\(name)")
        }
        // One that nobody listens to, such as one that was read, does not.
        let scene = try CentralScene()
        scene.peripheral.setNotifyValue(false, for: scene.characteristic)
        #expect(scene.testbed.run { !scene.characteristic.isNotifying })
        scene.manager.stage = scene.make("exploring")
        scene.manager.peripheral(scene.peripheral, didUpdateValueFor: scene.characteristic, error: self.refused)
        #expect(scene.stage == "exploring" && scene.listener.errors.isEmpty && scene.listener.begun == 1)
    }

    @Test("Services that change are explored anew where the talk is by one of them")
    func changedServices() throws {
        let foreign = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        let other = try CentralScene()
        for name in CentralScene.names + ["another"] {
            let scene = try CentralScene(in: name == "another" ? "talking" : name)
            if name == "another" { scene.manager.stage = scene.make("talking", with: other.peripheral) }
            let (manager, peripheral) = (scene.manager, scene.peripheral)
            let service = try #require(peripheral.services?.first)
            let before = scene.stage
            manager.peripheral(peripheral, didModifyServices: [foreign])
            manager.peripheral(peripheral, didModifyServices: [])
            #expect(scene.stage == before && scene.listener.ended == 0)
            manager.peripheral(peripheral, didModifyServices: [foreign, service])
            _ = scene.outcome("services \(name)")
            #expect(scene.stage == (name == "talking" ? "exploring" : before), "\(name)")
            #expect(scene.listener.ended == (name == "talking" ? 1 : 0), "\(name)")
            #expect((manager.timer != nil) == (name == "talking"))
        }
    }

    // MARK: The peripheral

    @Test("A service or an advertisement that the system refuses is reported, and nothing goes on")
    func refusals() throws {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        testbed.run(.seconds(1))
        let manager = try #require(speaker.manager.peripheralManager)
        let service = try #require(speaker.manager.service)
        #expect(speaker.calls == ["didStartConfiguration", "didStartAdvertising"] && speaker.errors.isEmpty)
        speaker.manager.peripheralManager(manager, didAdd: service, error: self.broken)
        speaker.manager.peripheralManagerDidStartAdvertising(manager, error: self.refused)
        testbed.run(.seconds(1))
        #expect(speaker.calls == ["didStartConfiguration", "didStartAdvertising"])
        #expect(
            speaker.errors == [
                .bluetooth(self.broken.localizedDescription), .refused(.insufficientAuthorization),
            ]
        )
        // Without an error it is advertised once more.
        speaker.manager.peripheralManager(manager, didAdd: service, error: nil)
        testbed.run(.seconds(1))
        #expect(speaker.calls.count { $0 == "didStartAdvertising" } == 2)
    }
}
