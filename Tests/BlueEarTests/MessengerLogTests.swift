// The log of both halves of the messenger: each call of Core Bluetooth's is in it, under its name.

import CoreBluetooth
import Fixtures
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("The log of the messenger")
struct MessengerLogTests {
    @Test("Each call of Core Bluetooth's is in the log of either half", arguments: [false, true])
    func log(reads: Bool) {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        let listener = Listener(["Yo": "Lo"], on: testbed.adapter(), in: testbed)
        listener.manager.reads = reads
        var (central, peripheral): ([String], [String]) = ([], [])
        listener.onCall = { name in
            RunRecord.note("log of the central: \(name)")
            central.append(name)
        }
        speaker.onCall = { name in
            RunRecord.note("log of the peripheral: \(name)")
            peripheral.append(name)
        }
        listener.scan()
        #expect(testbed.run { listener.isFinished })
        testbed.run(.seconds(1))
        let beginnings = [
            "centralManagerDidUpdateState", "didDiscover: ", "didConnect ", "didDiscoverServices",
            "didDiscoverCharacteristicsFor", "didUpdateValueFor", "didWriteValueFor", "didDisconnectPeripheral ",
        ]
        for beginning in beginnings + (reads ? [] : ["didUpdateNotificationStateFor"]) {
            #expect(central.contains { $0.hasPrefix(beginning) }, "\(beginning)")
        }
        let names = [
            "peripheralManagerDidUpdateState", "didAdd service", "peripheralManagerDidStartAdvertising",
            "didReceiveWrite requests",
        ]
        let more =
            reads ? ["didReceiveRead request"] : ["didSubscribeTo characteristic", "didUnsubscribeFrom characteristic"]
        for name in names + more { #expect(peripheral.contains(name), "\(name)") }
    }

    @Test("Calls that an exchange does not bring about are in the log, too")
    func rareCalls() throws {
        let scene = try CentralScene(in: "pausing")
        let manager = scene.manager
        var names: [String] = []
        scene.listener.onCall = { names.append($0) }
        manager.centralManager(scene.central, didFailToConnect: scene.peripheral, error: nil)
        manager.peripheral(scene.peripheral, didModifyServices: [])
        manager.peripheralDidUpdateName(scene.peripheral)
        manager.centralManager(scene.central, willRestoreState: [:])
        scene.listener.onCall = nil
        #expect(names == ["didFailToConnect", "didModifyServices", "peripheralDidUpdateName", "willRestoreState"])
        names = []
        let peripheral = try #require(scene.speaker.manager.peripheralManager)
        scene.speaker.onCall = { names.append($0) }
        scene.speaker.manager.peripheralManagerIsReady(toUpdateSubscribers: peripheral)
        scene.speaker.manager.peripheralManager(peripheral, willRestoreState: [:])
        scene.speaker.onCall = nil
        #expect(names == ["peripheralManagerIsReady", "willRestoreState"])
    }
}
