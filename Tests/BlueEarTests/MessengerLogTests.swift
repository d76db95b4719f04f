import CoreBluetooth
import Foundation
import NIOCore
import Testbed
import Testing

@testable import BlueEar

@Suite("The log of the messenger")
struct MessengerLogTests {
    @Test("logs each callback of Core Bluetooth", arguments: [false, true])
    func log(reads: Bool) {
        let testbed = Testbed()
        let speaker = testbed.speaker()
        let listener = Listener(["Yo": "Lo"], on: testbed.adapter(), in: testbed)
        listener.manager.reads = reads
        var (central, peripheral): ([String], [String]) = ([], [])
        listener.onCall = { central.append($0) }
        speaker.onCall = { peripheral.append($0) }
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
}
