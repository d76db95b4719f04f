// Scripts of a server: in which order values leave, which of those that wait are dropped, how prepared parts are
// joined, what lies between services, and descriptors of the application.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: order and queues")
struct GATTServerOrderTests: GATTServerSuite {
    // MARK: Notifications

    @Test("A notification that is too long to share a PDU leaves behind those that wait for others")
    func longBehindBatch() throws {
        try self.run(
            """
            > 02 05 02
            < 03 05 02
            ? mtu 517
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            notify 0017 01
            notify 0017 02*122
            < 1B 17 00 01
            < 1B 17 00 02*122
            notify 0017 03
            notify 0017 04
            notify 0017 05*122
            < 23 17 00 01 00 03 17 00 01 00 04
            < 1B 17 00 05*122
            flush
            """
        )
    }

    @Test("The limit for a value that shares a PDU counts what the MTU leaves of it")
    func batchedAfterCut() throws {
        try self.run(
            """
            > 02 64 00
            < 03 05 02
            ? mtu 100
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            notify 0017 01*200
            flush
            < 1B 17 00 01*97
            """
        )
    }

    @Test("A new MTU sends what was batched for the other one")
    func batchBeforeMTU() throws {
        try self.run(
            """
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            notify 0017 01
            notify 0017 02
            > 02 64 00
            < 23 17 00 01 00 01 17 00 01 00 02
            < 03 05 02
            ? mtu 100
            flush
            """
        )
    }

    @Test("Write Responses and error responses leave behind notifications that were made before them")
    func answersBehindBatch() throws {
        try self.run(
            """
            > 12 0B 00 04
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            notify 0017 01
            > 12 18 00 01 00
            < 1B 17 00 01
            < 13
            notify 0017 02
            > 0A EE EE
            < 1B 17 00 02
            < 01 0A EE EE 01
            notify 0017 03
            > 12 13 00 AA
            ? write 0013 @0 AA
            ok
            < 1B 17 00 03
            < 13
            flush
            """
        )
    }

    // MARK: Indications

    @Test("Of the indications that wait, those that the link is too insecure for are dropped, and the next one is sent")
    func insecureIndications() throws {
        try self.run(
            """
            security encrypted 16
            > 12 2C 00 02 00
            < 13
            ? subscribed 002A
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            notify 002A 02
            notify 002A 03
            notify 001A 04
            notify 002A 05
            security none 0
            > 1E
            ? confirmed 001A
            ? dropped 1
            ? dropped 1
            < 1D 1A 00 04
            > 1E
            ? confirmed 001A
            ? dropped 1
            > 1E
            """
        )
    }

    @Test("The end of a subscription drops its own indications, and those of others wait on")
    func indicationsOfOthers() throws {
        try self.run(
            """
            security encrypted 16
            > 12 2C 00 02 00
            < 13
            ? subscribed 002A
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            notify 001A 02
            notify 002A 03
            notify 001A 04
            > 12 1B 00 00 00
            < 13
            ? dropped 2
            ? unsubscribed 001A
            > 1E
            ? confirmed 001A
            < 1D 2A 00 03
            > 1E
            ? confirmed 002A
            """
        )
    }

    @Test("Indications of a service that goes are dropped, and those of others wait on")
    func indicationsOfService() throws {
        var runner = try GATTServerScript()
        let indicating = GATTCharacteristicDefinition(uuid: 0xE001, properties: .indicate, permissions: [])
        _ = try runner.server.server.add(GATTServiceDefinition(uuid: 0xE000, characteristics: [indicating]))
        runner.run(
            """
            > 12 38 00 02 00
            < 13
            ? subscribed 0037
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            notify 0037 02
            notify 001A 03
            notify 0037 04
            remove 0035
            ? unsubscribed 0037
            ? dropped 2
            > 1E
            ? confirmed 001A
            < 1D 1A 00 03
            """
        )
    }

    @Test("With all the room taken, an indication has room again as soon as one of those that wait is sent")
    func roomForIndications() throws {
        try self.run(
            """
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            notify 001A 02
            notify 001A 03
            ? dropped 1
            > 1E
            ? confirmed 001A
            < 1D 1A 00 02
            notify 001A 04
            notify 001A 05
            ? dropped 1
            """,
            configure: { $0.indicationLimit = 1 }
        )
    }

    @Test("Service Changed is indicated where the client asked for it, with any of the bits")
    func serviceChangedBits() throws {
        try self.run(
            """
            > 12 09 00 01 00                      # it cannot be notified
            < 01 12 09 00 FD
            > 12 09 00 02 00
            < 13
            > 0A 09 00
            < 0B 02 00
            add
            < 1D 08 00 35 00 38 00
            > 12 09 00 00 00                      # not confirmed yet
            < 13
            add
            > 1E
            """
        )
    }

    // MARK: Prepared writes

    @Test("A part goes on where the last part for its attribute ended, not an earlier one")
    func joinedWithLast() throws {
        try self.run(
            """
            > 16 13 00 00 00 AA AA AA
            < 17 13 00 00 00 AA AA AA
            > 16 13 00 01 00 BB
            < 17 13 00 01 00 BB
            > 16 13 00 02 00 CC
            < 17 13 00 02 00 CC
            > 18 01
            ? write 0013 @0 AA AA AA ; 0013 @1 BB CC
            ok
            < 19
            > 16 13 00 00 00 AA
            < 17 13 00 00 00 AA
            > 16 13 00 05 00 BB
            < 17 13 00 05 00 BB
            > 16 13 00 01 00 CC
            < 17 13 00 01 00 CC
            > 18 01
            ? write 0013 @0 AA ; 0013 @5 BB ; 0013 @1 CC
            ok
            < 19
            """
        )
    }

    @Test("Prepared writes to other services stay when one goes")
    func preparedElsewhere() throws {
        try self.run(
            """
            add
            > 16 24 00 00 00 AA
            < 17 24 00 00 00 AA
            remove
            > 18 01
            ? write 0024 @0 AA
            ok
            < 19
            """
        )
    }

    @Test("A part that is refused on execution keeps the parts before it from the application, and the queue is empty")
    func refusedPart() throws {
        try self.run(
            """
            > 16 24 00 00 00 AA
            < 17 24 00 00 00 AA
            > 16 13 00 01 02 BB
            < 17 13 00 01 02 BB
            > 18 01
            < 01 18 13 00 07
            > 18 01
            < 19
            """
        )
    }

    // MARK: Discovery

    @Test("A range that lies between two services has nothing, and one that reaches the second has its head")
    func gap() throws {
        try self.run(
            """
            add
            add
            remove 0035
            > 04 35 00 38 00
            < 01 04 35 00 0A
            > 04 35 00 39 00
            < 05 01 39 00 00 28
            > 10 35 00 38 00 00 28
            < 01 10 35 00 0A
            > 10 35 00 39 00 00 28
            < 11 06 39 00 3C 00 00 D0
            > 08 35 00 39 00 03 28
            < 01 08 35 00 0A
            > 08 35 00 3A 00 03 28
            < 09 07 3A 00 1A 3B 00 01 D0
            > 06 35 00 38 00 00 28 00 D0
            < 01 06 35 00 0A
            > 06 35 00 39 00 00 28 00 D0
            < 07 39 00 3C 00
            """
        )
    }

    // MARK: Descriptors

    @Test("Reads and writes of a dynamic descriptor are asked of the application; a static one is never written")
    func descriptors() throws {
        var runner = try GATTServerScript()
        let both: AttributePermissions = [.readable, .writeable]
        var characteristic = GATTServerFixture.fixed(0xE001, "05")
        characteristic.descriptors = [
            GATTDescriptorDefinition(uuid: 0x2901, value: ByteBuffer(), permissions: both, isDynamic: true),
            GATTDescriptorDefinition(uuid: 0x2904, value: hex("04 00"), permissions: both),
            GATTDescriptorDefinition(
                uuid: 0xE0D1,
                value: ByteBuffer(),
                permissions: .writeEncryptionRequired,
                isDynamic: true
            ),
            GATTDescriptorDefinition(uuid: 0xE0D2, value: hex("07"), permissions: .readEncryptionRequired),
        ]
        let handles = try runner.server.server.add(
            GATTServiceDefinition(uuid: 0xE000, characteristics: [characteristic])
        )
        #expect(handles.characteristics[0].descriptors == [0x38, 0x39, 0x3A, 0x3B])
        runner.run(
            """
            > 0A 38 00
            ? read 0038 @0
            = 41
            < 0B 41
            > 12 38 00 42
            ? write 0038 @0 42
            ok
            < 13
            > 52 38 00 42                         # a command is none of a descriptor's
            > 0A 39 00
            < 0B 04 00
            > 12 39 00 42
            < 01 12 39 00 03
            > 0A 3A 00
            < 01 0A 3A 00 02
            > 12 3A 00 42
            < 01 12 3A 00 05
            > 0A 3B 00
            < 01 0A 3B 00 05
            security encrypted 16
            > 12 3A 00 42
            ? write 003A @0 42
            ok
            < 13
            > 0A 3B 00
            < 0B 07
            """
        )
    }
}
