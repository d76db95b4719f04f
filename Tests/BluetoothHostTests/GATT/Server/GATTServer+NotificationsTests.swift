import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: notifications and indications")
struct GATTServerNotificationsTests {
    private static let scripts = TitledScript.all(
        """
        ## GATT/SR/GAN/BV-01-C Characteristic Value Notification
        notify 0017 01 ? dropped 1            # no client has subscribed
        > 12 18 00 01 00 < 13 ? subscribed 0017
        notify 0017 01 02 < 1B 17 00 01 02
        notify 0017 < 1B 17 00
        notify 0017 AA*30 < 1B 17 00 AA*20    # cut to the MTU
        notify 0013 01 ? dropped 1            # not a characteristic that notifies
        > 12 18 00 00 00 < 13 ? unsubscribed 0017
        notify 0017 01 ? dropped 1

        ## notifies a client that takes both
        security encrypted 16
        subscribe 002A 3
        notify 002A 01 < 1B 2A 00 01
        > 12 2C 00 02 00 < 13
        notify 002A 02 < 1D 2A 00 02
        > 12 2C 00 01 00 < 13                 # the change of mind leaves the subscription
        notify 002A 03 < 1B 2A 00 03
        > 1E ? confirmed 002A

        ## keeps the subscriptions of a failed bearer until the link ends
        add
        subscribe 0037
        > 0A 13 00 ? read 0013 @0
        > 0A 13 00 ? failed requestWhilePending
        remove
        close ? unsubscribed 0037

        ## defers values while the local client exchanges the MTU (Vol 3, Part F, 3.4.2.2)
        with mtu 100
        subscribe 0017
        hold
        notify 0017 01
        notify 0017 AA*30
        > 02 64 00 < 03 64 00 ? mtu 100       # requests of the client are answered meanwhile
        release < 1B 17 00 01 < 1B 17 00 AA*30  # the new MTU holds for what waited
        hold
        notify 0017 02
        > 12 18 00 00 00 < 13 ? unsubscribed 0017
        release ? dropped 1

        ## sends deferred indications after a confirmation and the MTU response
        subscribe 001A
        notify 001A 01 < 1D 1A 00 01
        notify 001A 02
        hold
        > 1E ? confirmed 001A
        release < 1D 1A 00 02
        > 1E ? confirmed 001A
        subscribe 0008
        hold
        add
        release < 1D 08 00 35 00 38 00        # Service Changed is held back, too
        > 1E
        hold
        release                               # nothing waits

        ## drops a deferred value that the link is too insecure for
        security encrypted 16
        subscribe 002A
        hold
        notify 002A 01
        security none 0
        release ? dropped 1

        ## drops a deferred value of a client that has become change-unaware
        features 01
        subscribe 0017
        hold
        notify 0017 01
        add
        release ? dropped 1
        > 0A 10 00 < 01 0A 10 00 12
        > 0A 10 00 < 0B 01 02 03
        notify 0017 02 < 1B 17 00 02

        ## counts a value for its owner when it is sent, confirmed, or without a subscriber
        subscribe 0017
        subscribe 001A
        owner 7
        notify 0017 01 < 1B 17 00 01 ? sent 1 of 7
        owner 8
        notify 0013 01 ? dropped 1 of 8
        owner 9
        notify 001A 01 < 1D 1A 00 01
        > 1E ? confirmed 001A of 9

        ## counts for each owner what the end of the link drops: unconfirmed, queued, batched and deferred
        subscribe 0017
        subscribe 001A
        subscribe 0008                        # Service Changed is no concern of the application
        features 04
        owner 1
        notify 001A 01 < 1D 1A 00 01
        owner 2
        notify 001A 01
        owner 4
        notify 0017 01
        notify 0017 01
        hold
        owner 5
        notify 0017 01
        owner 6
        notify 001A 01
        close ? dropped 1 of 1 ? dropped 1 of 2 ? dropped 2 of 4 ? dropped 1 of 5 ? dropped 1 of 6
        ? unsubscribed 0017
        ? unsubscribed 001A
        """
    )

    @Test("follows the script", arguments: Self.scripts)
    func script(_ script: TitledScript) throws { try script.runOnServer() }

    @Test("truncates a value that is notified without a subscription, sends it after a batch, and does not count it")
    func unconditionally() throws {
        let link = LinkID(rawValue: 1)
        var runner = try GATTServerScript()
        func notify(_ value: ByteBuffer) -> [String] {
            runner.server.feed(link) { $0.notifyUnconditionally(value, characteristic: 0x0013, on: &$1, into: &$2) }
            return runner.server.takeEvents().map { event -> String in
                guard case .send(let pdu, let transmission) = event.action else { return "other" }
                return "\(transmission?.count ?? 0): \(hex(pdu))"
            }
        }
        #expect(notify(octets(21)) == ["0: 1B 13 00 \(hex(octets(20)))"])
        runner.run("features 04\nsubscribe 0017\nnotify 0017 01")
        #expect(notify(hex("02")) == ["1: 1B 17 00 01", "0: 1B 13 00 02"])
        runner.run("> 0A 13 00\n? read 0013 @0\n> 0A 13 00\n? failed requestWhilePending")
        #expect(notify(hex("03")).isEmpty)
    }
}
