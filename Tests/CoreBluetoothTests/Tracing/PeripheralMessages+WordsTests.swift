import BluetoothHost
import BluetoothTypes
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("The messages of a peripheral manager in Apple's words")
struct PeripheralMessagesWordsTests {
    private let link = LinkID(rawValue: 1)
    private let token = LocalServiceToken(number: 1)
    private let window = ReceiveWindow()
    private let value = ByteBuffer(bytes: [1, 2, 3])
    private let error = CBError(.connectionTimeout)

    private func manager() -> CBPeripheralManager {
        Testbed().adapter().run { CBPeripheralManager(delegate: nil, queue: nil) }
    }

    @Test("shows the calls of an app, and nothing that a manager does by itself")
    func calls() throws {
        let manager = self.manager()
        let request = GATTRequestID(rawValue: 1)
        let uuid = try #require(BluetoothUUID("5B3C1F0E-6E0B-4C61-9B7D-2F0C8B1E7A10"))
        let calls: [(command: PeripheralCommand, text: String?)] = [
            (.refuse(self.token, self.error), "add(_:)"), (.remove(self.token), "remove(_:)"),
            (.removeAll, "removeAllServices()"), (.stopAdvertising, "stopAdvertising()"),
            (
                .startAdvertising(AdvertisedContent(localName: "Crystal", services: [0x180D, uuid])),
                "startAdvertising(\"Crystal\", [180D, 5B3C1F0E…])"
            ),
            (.startAdvertising(AdvertisedContent(localName: nil)), "startAdvertising((no name), [])"),
            (.answerRead(request, .success(self.value)), "respond(to:withResult: .success), 3 octets"),
            (.answerWrite(request, nil), "respond(to:withResult: .success)"),
            (.update(7, self.value, .many([])), "updateValue(3 octets, for: 7)"),
            (.setLatency(.low, self.link), "setDesiredConnectionLatency(_:for:)"),
            (.publishChannel(.none), "publishL2CAPChannel(withEncryption:)"),
            (.unpublishChannel(0x80), "unpublishL2CAPChannel(128)"),
            (.resumeReceiving(self.link), nil), (.restored, nil), (.stopSeen, nil), (.end, nil),
            (.resumeAdvertising(AdvertisedContent(localName: "Crystal")), nil),
        ]
        for (command, text) in calls { #expect(command.call(in: manager) == text) }
    }

    @Test("shows the callbacks, and knows which of them wake an app")
    func callbacks() {
        let manager = self.manager()
        let words = ", error: \(self.error.localizedDescription)"
        let callbacks: [(event: PeripheralEvent, text: String?, wakes: Bool)] = [
            (.state(.poweredOn), "peripheralManagerDidUpdateState: .poweredOn", false),
            (.added(self.token, .failure(self.error)), "didAdd service" + words, true),
            (.startedAdvertising(nil), "peripheralManagerDidStartAdvertising", true),
            (.startedAdvertising(self.error), "peripheralManagerDidStartAdvertising" + words, true),
            (.subscribed(self.link, 7, true, self.window), "didSubscribeTo 7", true),
            (.subscribed(self.link, 7, false, self.window), "didUnsubscribeFrom 7", true),
            (.command(self.link, 7, self.value, self.window), "didReceiveWrite of 3 octets to 7", true),
            (.channelPublished(0x80, nil), "didPublishL2CAPChannel 128", true),
            (.channelPublished(0x80, self.error), "didPublishL2CAPChannel 128" + words, true),
            (.channelUnpublished(0x81, nil), "didUnpublishL2CAPChannel 129", true),
            (.channelUnpublished(0x81, self.error), "didUnpublishL2CAPChannel 129" + words, true),
            (.centralChangedMTU(self.link, 23, self.window), nil, false), (.centralLeft(self.link), nil, false),
            (.canSend(self.link), nil, false), (.unknownChannelEnded(self.link, 0x80), nil, true),
            (.restored(PeripheralRestoration(record: PeripheralRecord())), "willRestoreState", false),
        ]
        for (event, text, wakes) in callbacks {
            #expect(event.callback(in: manager) == text)
            #expect(event.isWorthWaking == wakes, "\(event)")
        }
    }
}
