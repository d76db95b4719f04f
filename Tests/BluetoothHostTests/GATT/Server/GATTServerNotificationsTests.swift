// Notifications, and indications with their confirmations and their time limit.

import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: notifications and indications")
struct GATTServerNotificationsTests: GATTServerSuite {
    @Test("Vol 3, Part F, 3.4.2.2: nothing is notified or indicated while this device waits for its own MTU response")
    func heldBack() throws {
        try self.run(
            """
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            hold
            notify 0017 01
            notify 0017 AA*30
            > 02 64 00                            # requests of the client are answered meanwhile
            < 03 64 00
            ? mtu 100
            release
            < 1B 17 00 01
            < 1B 17 00 AA*30                      # the new MTU holds for what waited
            hold
            notify 0017 02
            > 12 18 00 00 00
            < 13
            ? unsubscribed 0017
            release
            ? dropped 1
            """,
            mtu: 100
        )
    }

    @Test("what waits for a confirmation that comes while this device waits for its MTU response is sent behind that")
    func confirmedMeanwhile() throws {
        try self.run(
            """
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            notify 001A 02
            hold
            > 1E
            ? confirmed 001A
            release
            < 1D 1A 00 02
            > 1E
            ? confirmed 001A
            > 12 09 00 02 00
            < 13
            hold
            add
            release
            < 1D 08 00 35 00 38 00                # Service Changed is held back, too
            > 1E
            hold
            release                               # nothing waits
            """
        )
    }

    @Test func `GATT/SR/GAN/BV-01-C Characteristic Value Notification`() throws {
        try self.run(
            """
            notify 0017 01                        # no client has subscribed
            ? dropped 1
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            notify 0017 01 02
            < 1B 17 00 01 02
            notify 0017
            < 1B 17 00
            notify 0017 AA*30                     # cut to the MTU
            < 1B 17 00 AA*20
            notify 0013 01                        # not a characteristic that notifies
            ? dropped 1
            > 12 18 00 00 00
            < 13
            ? unsubscribed 0017
            notify 0017 01
            ? dropped 1
            """
        )
    }

    @Test func `Where a client takes both, it is notified`() throws {
        try self.run(
            """
            security encrypted 16
            > 12 2C 00 03 00
            < 13
            ? subscribed 002A
            notify 002A 01
            < 1B 2A 00 01
            > 12 2C 00 02 00
            < 13
            notify 002A 02
            < 1D 2A 00 02
            > 12 2C 00 01 00                      # the change of mind leaves the subscription
            < 13
            notify 002A 03
            < 1B 2A 00 03
            > 1E
            ? confirmed 002A
            """
        )
    }

    @Test func `The end of a link ends its subscriptions`() throws {
        try self.run(
            """
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            > 12 09 00 02 00                      # Service Changed is no concern of the application
            < 13
            notify 001A 01
            < 1D 1A 00 01
            notify 001A 02
            close
            ? dropped 2
            ? unsubscribed 0017
            ? unsubscribed 001A
            """
        )
    }

    // MARK: Indications

    @Test func `GATT/SR/GAI/BV-01-C Characteristic Value Indication`() throws {
        try self.run(
            """
            notify 001A 01
            ? dropped 1
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            notify 001A AA*30                     # one at a time
            > 1E 00                               # no confirmation
            > 1E
            ? confirmed 001A
            < 1D 1A 00 AA*20
            > 1E
            ? confirmed 001A
            > 1E                                  # nothing waits for it
            """
        )
    }

    @Test func `Requests and commands go on while a confirmation is awaited`() throws {
        try self.run(
            """
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            > 0A 10 00
            < 0B 01 02 03
            > 52 15 00 01
            ? command 0015 01
            > 0A 13 00
            ? read 0013 @0
            > 1E                                  # a confirmation may come before the answer to a request
            ? confirmed 001A
            = 05
            < 0B 05
            """
        )
    }

    @Test func `Indications that wait are dropped with their subscription, and the queue is limited`() throws {
        try self.run(
            """
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            notify 001A 02
            notify 001A 03
            notify 001A 04
            ? dropped 1
            > 12 1B 00 00 00
            < 13
            ? dropped 2
            ? unsubscribed 001A
            > 1E
            ? confirmed 001A
            """,
            configure: { $0.indicationLimit = 2 }
        )
    }

    // MARK: Time

    @Test func `GATT/SR/GAT/BV-01-C Handle Value Indication: client timeout`() throws {
        try self.run(
            """
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            notify 001A 01
            < 1D 1A 00 01
            notify 001A 02
            wait 29.999
            notify 0017 01
            < 1B 17 00 01
            wait 0.001
            ? dropped 2
            ? failed indicationTimeout
            > 1E                                  # nothing more is sent or taken on this bearer
            > 0A 10 00
            notify 0017 01
            ? dropped 1
            notify 001A 03
            ? dropped 1
            add
            wait 60
            close
            ? unsubscribed 0017
            ? unsubscribed 001A
            """
        )
    }

    @Test func `One timer serves all links`() throws {
        var runner = try GATTServerScript()
        #expect(runner.server.nextDeadline == nil)
        runner.run(
            """
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            """
        )
        #expect(runner.server.nextDeadline == .uptimeNanoseconds(30_000_000_000))
        runner.run(
            """
            wait 10
            > 1E
            ? confirmed 001A
            notify 001A 02
            < 1D 1A 00 02
            open 2
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            wait 5
            notify 001A 02
            < 1D 1A 00 02
            wait 15                               # 30 s after the first, which was confirmed
            """
        )
        #expect(runner.server.nextDeadline == .uptimeNanoseconds(40_000_000_000))
        runner.run(
            """
            wait 10
            ? 1: dropped 1
            ? 1: failed indicationTimeout
            """
        )
        #expect(runner.server.nextDeadline == .uptimeNanoseconds(45_000_000_000))
        runner.run(
            """
            > 1E
            ? confirmed 001A
            wait 5
            """
        )
        #expect(runner.server.nextDeadline == nil)
    }

    @Test func `A new MTU cuts what waited under the old one`() throws {
        try self.run(
            """
            > 02 64 00
            < 03 05 02
            ? mtu 100
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            notify 001A AA*97
            > 02 17 00
            < 03 05 02
            ? mtu 23
            > 1E
            ? confirmed 001A
            < 1D 1A 00 AA*20
            """
        )
    }
}
