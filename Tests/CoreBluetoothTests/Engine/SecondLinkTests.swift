// What the second link of a connection that comes back by itself begins with: nothing of what was on its way on the
// first one.

import BluetoothAir
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6.7 The second link of a connection")
struct SecondLinkTests {
    /// Loses the link of a connection that comes back by itself, and waits for the next one.
    private func lose(_ talk: Conversation, _ peripheral: CBPeripheral, _ body: () -> Void) throws {
        let count = talk.central.count("connect 2")
        talk.testbed.air.setLoss(1)
        body()
        try #require(talk.testbed.run { peripheral.state == .connecting })
        talk.testbed.air.setLoss(0)
        try #require(talk.testbed.run { talk.central.count("connect 2") == count + 1 })
        #expect(peripheral.state == .connected)
    }

    @Test("6.7 7.6 what was on its way when a link was lost does not count on the next one", arguments: [1, 64, 100])
    func transmitWindow(count: Int) throws {
        let talk = Conversation()
        let peripheral = try talk.connect(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        func question() throws -> CBCharacteristic {
            try peripheral.discover([IDs.service], in: talk.testbed).characteristic(IDs.question)
        }
        for _ in 1...2 {
            let target = try question()
            try self.lose(talk, peripheral) {
                for _ in 0..<count { peripheral.writeValue("lost".octets, for: target, type: .withoutResponse) }
                #expect(peripheral.canSendWriteWithoutResponse == (count < TransmitWindow.size))
            }
            #expect(peripheral.canSendWriteWithoutResponse && peripheral.writeWindow.count == 0)
        }
        let last = try question()
        let written = talk.ball.written.count
        peripheral.writeValue("there".octets, for: last, type: .withoutResponse)
        #expect(talk.testbed.run { talk.ball.written.count > written })
        #expect(talk.ball.written.last == "there".octets)
    }

    @Test("6.7 12.2 channels that were asked for when a link was lost are not opened, and others are on the next one")
    func channelRequests() throws {
        let talk = Conversation()
        talk.ball.manager.publishL2CAPChannel(withEncryption: false)
        try #require(talk.testbed.run { !talk.ball.psms.isEmpty })
        let psm = talk.ball.psms[0]
        let peripheral = try talk.connect(options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
        for round in 1...2 {
            try self.lose(talk, peripheral) {
                for _ in 1...3 { peripheral.openL2CAPChannel(psm) }
            }
            talk.testbed.run(.seconds(1))
            #expect(talk.central.channels.count == round - 1)
            peripheral.openL2CAPChannel(psm)
            #expect(talk.testbed.run { talk.central.channels.count == round })
            #expect(talk.central.calls.count { $0.hasPrefix("channel") } == round)
        }
    }
}
