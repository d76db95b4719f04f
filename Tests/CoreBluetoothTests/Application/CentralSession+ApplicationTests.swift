import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("6.8 Alerts in place of an app")
struct CentralSessionApplicationTests {
    @Test(
        "6.8 an alert is shown for a connection, its end and its notifications if the app has asked for it",
        arguments: [
            ([], []), ([CBConnectPeripheralOptionNotifyOnConnectionKey], ["connection Crystal"]),
            ([CBConnectPeripheralOptionNotifyOnDisconnectionKey], ["disconnection Crystal"]),
            ([CBConnectPeripheralOptionNotifyOnNotificationKey], ["notification Crystal", "notification Crystal"]),
        ] as [([String], [String])]
    )
    func alerts(keys: [String], alerts: [String]) throws {
        let talk = Conversation()
        talk.ball.reading = "read".octets
        let policy = PolicyStub("app")
        let central = talk.testbed.central(on: talk.testbed.adapter("Alerted"), of: policy)
        let options = Dictionary(uniqueKeysWithValues: keys.map { ($0, NSNumber(value: true)) })
        let peripheral = try central.connect(in: talk.testbed, options: options)
        let answer = try peripheral.discover([IDs.service], in: talk.testbed).characteristic(IDs.answer)
        // A value that the app has read is no notification.
        peripheral.readValue(for: answer)
        try peripheral.subscribe(to: answer, in: talk.testbed)
        for text in ["Yes", "No"] {
            talk.ball.manager.updateValue(text.octets, for: talk.ball.answer, onSubscribedCentrals: nil)
        }
        try #require(talk.testbed.run { central.values == ["read", "Yes", "No"] })
        talk.ballAdapter.setPowered(false)
        try #require(talk.testbed.run { peripheral.state == .disconnected })
        #expect(policy.alerts == alerts)
    }

    @Test("6.8 an alert about a device without a name has its identifier")
    func withoutName() throws {
        let talk = Conversation { $0.open(name: nil) }
        let policy = PolicyStub("app")
        let central = talk.testbed.central(on: talk.testbed.adapter("Alerted"), of: policy)
        let options: [String: Any] = [CBConnectPeripheralOptionNotifyOnConnectionKey: true]
        let peripheral = try central.connect(in: talk.testbed, options: options)
        #expect(policy.alerts == ["connection \(peripheral.identifier.uuidString)"])
    }
}
