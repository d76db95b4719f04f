// Scripts of a server: what a bearer that has failed, values of two owners, and values that cannot be read or written
// lead to.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: edges")
struct GATTServerEdgesTests: GATTServerSuite {
    private static let link = LinkID(rawValue: 1)

    // MARK: A bearer that has failed

    @Test("Service Changed that is not confirmed within 30 s ends the bearer")
    func serviceChangedTimeout() throws {
        try self.run(
            """
            > 12 09 00 02 00
            < 13
            add
            < 1D 08 00 35 00 38 00
            wait 29.999
            wait 0.001
            ? failed indicationTimeout
            close
            """
        )
    }

    @Test("Values that wait for the MTU response are dropped once when the bearer fails")
    func deferredValues() throws {
        try self.run(
            """
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            hold
            notify 0017 01
            notify 0017 02
            > 0A 13 00
            ? read 0013 @0
            > 0A 13 00
            ? dropped 2
            ? failed requestWhilePending
            release
            close
            ? unsubscribed 0017
            """
        )
    }

    @Test("Notifications that wait for others are dropped once when the bearer fails")
    func batchedValues() throws {
        try self.run(
            """
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            > 0A 13 00
            ? read 0013 @0
            notify 0017 01
            notify 0017 02
            notify 0017 03
            > 0A 13 00
            ? dropped 3
            ? failed requestWhilePending
            flush
            close
            ? unsubscribed 0017
            """
        )
    }

    @Test("One notification that waits for others is dropped once when the bearer fails")
    func batchedValue() throws {
        try self.run(
            """
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            > 0A 13 00
            ? read 0013 @0
            notify 0017 01
            > 0A 13 00
            ? dropped 1
            ? failed requestWhilePending
            flush
            close
            ? unsubscribed 0017
            """
        )
    }

    @Test("A bearer that has failed keeps its subscriptions until the link ends, whatever services go")
    func removedOnFailedBearer() throws {
        try self.run(
            """
            add
            > 12 38 00 01 00
            < 13
            ? subscribed 0037
            > 0A 13 00
            ? read 0013 @0
            > 0A 13 00
            ? failed requestWhilePending
            remove
            close
            ? unsubscribed 0037
            """
        )
    }

    @Test("A link that has ended twice ends its subscriptions once")
    func closedTwice() throws {
        var server = try GATTServerFixture.server()
        var bearer = ATTBearer(link: Self.link)
        var actions: [ATTBearer.Action] = []
        server.receive(hex("12 18 00 01 00"), on: &bearer, now: .uptimeNanoseconds(0), into: &actions)
        actions.removeAll()
        server.close(&bearer, into: &actions)
        #expect(actions.count == 1)
        server.close(&bearer, into: &actions)
        #expect(actions.count == 1)
    }

    // MARK: Owners

    @Test("Values of two owners do not share a PDU, and each PDU is counted for its owner")
    func owners() throws {
        var trial = try ServerTrial()
        trial.receive("12 0B 00 04")
        trial.receive("12 18 00 01 00")
        _ = trial.take { _ in nil }
        for (value, token) in [
            ("01", 7), ("02", 7), ("03", 8), ("04", 8), ("05", 8), ("06", 7), ("07", 8),
        ] as [(String, UInt64)] {
            trial.notify(0x0017, token, value: value)
        }
        trial.flush()
        let sent = trial.take { action -> String? in
            guard case .send(let pdu, let transmission?) = action else { return "no value" }
            return "\(transmission.token.rawValue) \(transmission.count): \(hex(pdu))"
        }
        #expect(
            sent == [
                "7 2: 23 17 00 01 00 01 17 00 01 00 02",
                "8 3: 23 17 00 01 00 03 17 00 01 00 04 17 00 01 00 05",
                "7 1: 1B 17 00 06",
                "8 1: 1B 17 00 07",
            ]
        )
    }

    @Test("A value that is notified without a subscription is cut to the MTU, follows a batch, and is not counted")
    func unconditionally() throws {
        var links = ServedLinks(try GATTServerFixture.server())
        links.linkOpened(Self.link)
        var events: [ServedLinks.Event] = []
        let now = NIODeadline.uptimeNanoseconds(0)
        func texts() -> [String] {
            defer { events.removeAll() }
            return events.map { event -> String in
                guard case .send(let pdu, let transmission) = event.action else { return "other" }
                return "\(transmission?.count ?? 0): \(hex(pdu))"
            }
        }
        links.notifyUnconditionally(octets(21), characteristic: 0x0013, on: Self.link, into: &events)
        #expect(texts() == ["0: 1B 13 00 \(hex(octets(20)))"])
        links.receive(hex("12 0B 00 04"), on: Self.link, now: now, into: &events)
        links.receive(hex("12 18 00 01 00"), on: Self.link, now: now, into: &events)
        events.removeAll()
        links.notify(hex("01"), characteristic: 0x0017, on: Self.link, now: now, into: &events)
        links.notifyUnconditionally(hex("02"), characteristic: 0x0013, on: Self.link, into: &events)
        #expect(texts() == ["1: 1B 17 00 01", "0: 1B 13 00 02"])
        // A second request while the application is asked ends the bearer.
        links.receive(hex("0A 13 00"), on: Self.link, now: now, into: &events)
        links.receive(hex("0A 13 00"), on: Self.link, now: now, into: &events)
        events.removeAll()
        links.notifyUnconditionally(hex("03"), characteristic: 0x0013, on: Self.link, into: &events)
        #expect(events.isEmpty)
    }

    // MARK: Commands

    @Test("A command is done up to the MTU and up to 512 octets, to a value of the application that takes commands")
    func commands() throws {
        var server = try GATTServerFixture.server()
        var bearer = ATTBearer(link: Self.link)
        var actions: [ATTBearer.Action] = []
        func accepts(_ handle: AttributeHandle, _ length: Int, _ valueLength: Int) -> Bool {
            server.acceptsCommand(to: handle, length, valueLength, on: &bearer)
        }
        let (full, beyond) = (accepts(0x0015, 23, 20), accepts(0x0015, 24, 21))
        #expect(full && !beyond)
        let (writeOnly, fixed, missing) = (accepts(0x0013, 4, 1), accepts(0x0010, 4, 1), accepts(0x0099, 4, 1))
        #expect(!writeOnly && !fixed && !missing)
        bearer.setMTU(517, into: &actions)
        let (longest, tooLong) = (accepts(0x0015, 515, 512), accepts(0x0015, 516, 513))
        #expect(longest && !tooLong)
        bearer.fail(.requestWhilePending, into: &actions)
        let late = accepts(0x0015, 4, 1)
        #expect(!late)
    }

    // MARK: Types

    @Test("A type of 128 bits finds no other one of 128 bits, and neither does the type 0000")
    func types() throws {
        try self.run(
            """
            > 08 01 00 FF FF 02 FF EE DD CC BB AA 99 88 77 66 55 44 33 22 11
            < 01 08 01 00 0A
            > 08 01 00 FF FF 00 00
            < 01 08 01 00 0A
            > 06 01 00 FF FF 00 00 05
            < 01 06 01 00 0A
            """
        )
    }

    // MARK: Lists

    /// A script of a server with three characteristics E001: the values 01 (0037) and 03 (003B), and one between them.
    private static func list(around middle: GATTCharacteristicDefinition) throws -> GATTServerScript {
        var runner = try GATTServerScript()
        _ = try runner.server.server.add(
            GATTServiceDefinition(
                uuid: 0xE000,
                characteristics: [
                    GATTServerFixture.fixed(0xE001, "01"), middle, GATTServerFixture.fixed(0xE001, "03"),
                ]
            )
        )
        return runner
    }

    @Test("Read By Type ends its list before a value that may not be read, which is an error at the head of a list")
    func listBeforeRefusal() throws {
        let secured = GATTCharacteristicDefinition(
            uuid: 0xE001,
            properties: .read,
            permissions: .readEncryptionRequired,
            value: hex("02")
        )
        var runner = try Self.list(around: secured)
        runner.run(
            """
            > 08 01 00 FF FF 01 E0
            < 09 03 37 00 01
            > 08 38 00 FF FF 01 E0
            < 01 08 39 00 05
            > 08 3A 00 FF FF 01 E0
            < 09 03 3B 00 03
            security encrypted 16
            > 08 01 00 FF FF 01 E0
            < 09 03 37 00 01 39 00 02 3B 00 03
            """
        )
    }

    @Test("Read By Type ends its list before a value of the application, which is asked for at the head of a list")
    func listBeforeApplication() throws {
        let asked = GATTCharacteristicDefinition(uuid: 0xE001, properties: .read, permissions: .readable)
        var runner = try Self.list(around: asked)
        runner.run(
            """
            > 08 01 00 FF FF 01 E0
            < 09 03 37 00 01
            > 08 38 00 FF FF 01 E0
            ? read 0039 @0
            = 07
            < 09 03 39 00 07
            """
        )
    }

    @Test("Read Multiple: the link may have lost its security for a later value while the application was asked")
    func lostSecurity() throws {
        for request in ["0E", "20"] {
            try self.run(
                """
                security encrypted 16
                > \(request) 13 00 1D 00
                ? read 0013 @0
                security none 0
                = AA
                < 01 \(request) 1D 00 05
                """
            )
        }
    }

    @Test("Read Multiple: a value of the application is cut to 512 octets, in its length, too")
    func longValues() throws {
        try self.run(
            """
            > 02 05 02
            < 03 05 02
            ? mtu 517
            > 20 13 00 10 00
            ? read 0013 @0
            = AA*513
            < 21 00 02 AA*512 03 00
            > 20 13 00 10 00
            ? read 0013 @0
            = AA*511
            < 21 FF 01 AA*511 03 00 01
            > 0E 13 00 10 00
            ? read 0013 @0
            = AA*513
            < 0F AA*512 01 02 03
            """
        )
    }

    // MARK: Writing

    @Test("Client Supported Features have 512 octets at most")
    func longFeatures() throws {
        try self.run(
            """
            > 02 05 02
            < 03 05 02
            ? mtu 517
            > 12 0B 00 01 00*511
            < 13
            > 12 0B 00 05 00*512
            < 01 12 0B 00 0D
            > 0A 0B 00
            < 0B 01
            """
        )
    }

    @Test("A subscription whose service goes while the application is asked is not made")
    func keptPartGone() throws {
        try self.run(
            """
            add
            > 16 38 00 00 00 01 00
            < 17 38 00 00 00 01 00
            > 16 18 00 00 00 01 00
            < 17 18 00 00 00 01 00
            > 16 24 00 00 00 AA
            < 17 24 00 00 00 AA
            > 18 01
            ? write 0024 @0 AA
            remove
            ok
            < 19
            ? subscribed 0017
            """
        )
    }
}
