// Client Characteristic Configurations in what was observed of a server: which handle is one, and which writes of it
// are subscriptions.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: client configurations that were written")
struct ConfigurationRecordingTests {
    /// A service from 0001 to 0009 with a characteristic that notifies, whose value has the handle 0003.
    private static func database() -> ObservedDatabase {
        var database = ObservedDatabase()
        database.foundService(ByteBuffer(bytes: [0x0D, 0x18]), 1, 9, 0x2800)
        let declaration = ByteBuffer(bytes: [CharacteristicProperties.notify.rawValue, 0x03, 0x00, 0x37, 0x2A])
        database.found(declaration, at: 2, 0x2803, on: 1)
        return database
    }

    private static func configure(
        _ database: inout ObservedDatabase,
        _ handle: AttributeHandle,
        _ bits: UInt8,
        at time: Int64
    ) {
        let value = ByteBuffer(bytes: [bits, 0])
        let write = database.wrote(value, to: handle, on: 1, at: time, .unanswered)
        database.answered(write, .taken, at: time)
    }

    private static func characteristic(_ database: ObservedDatabase) throws -> RecordedCharacteristic {
        var peripheral = RecordedPeripheral()
        database.describe(&peripheral)
        return try #require(peripheral.services.first?.characteristics.first)
    }

    @Test(
        "A configuration that is written without the bits of a subscription is none",
        arguments: [0, 4, 0xFC] as [UInt8]
    )
    func noSubscription(bits: UInt8) throws {
        var database = Self.database()
        Self.configure(&database, 4, bits, at: 1)
        #expect(try !Self.characteristic(database).wasSubscribed)
        Self.configure(&database, 4, bits | 2, at: 2)
        #expect(try Self.characteristic(database).wasSubscribed)
    }

    @Test("A value that is sent behind the end of a subscription counts from the beginning of its link")
    func unsubscribed() throws {
        var database = Self.database()
        database.linkBegan(1, at: 100)
        Self.configure(&database, 4, 1, at: 200)
        Self.configure(&database, 4, 0, at: 300)
        database.sent(ByteBuffer(bytes: [7]), of: 3, on: 1, at: 407)
        #expect(try Self.characteristic(database).updates.map(\.delay) == [.microseconds(307)])
    }

    @Test("Where the configuration was found, no other handle is taken for it")
    func found() throws {
        var database = Self.database()
        database.found(0x2902, at: 5)
        Self.configure(&database, 4, 1, at: 1)
        #expect(try !Self.characteristic(database).wasSubscribed)
        Self.configure(&database, 5, 1, at: 2)
        #expect(try Self.characteristic(database).wasSubscribed)
    }

    @Test("A characteristic that neither notifies nor indicates has no configuration in the handle behind its value")
    func notSubscribable() throws {
        for (properties, isSubscribed) in [(0x02, false), (0x10, true), (0x20, true), (0x08, false)]
            as [(UInt8, Bool)]
        {
            var database = Self.database()
            database.found(ByteBuffer(bytes: [properties, 0x03, 0x00, 0x37, 0x2A]), at: 2, 0x2803, on: 1)
            Self.configure(&database, 4, 1, at: 1)
            #expect(try Self.characteristic(database).wasSubscribed == isSubscribed)
        }
    }
}
