// Each value that the application sends is counted once for its owner, whatever becomes of it: sent, confirmed, or
// dropped at once, with its subscription, or with the link; and what becomes of values that wait for the MTU response.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("GATT server: owners of values")
struct GATTServerOwnersTests: GATTServerSuite {
    /// A trial whose client is subscribed to notifications of 0017 and to indications of 001A.
    private static func subscribed() throws -> ServerTrial {
        var trial = try ServerTrial()
        trial.receive("12 18 00 01 00")
        trial.receive("12 1B 00 02 00")
        _ = trial.take()
        return trial
    }

    @Test("A value is counted for its owner when it is sent, when it is confirmed, and when nobody is subscribed to it")
    func counted() throws {
        var trial = try Self.subscribed()
        trial.notify(0x0017, 7)
        trial.notify(0x0013, 8)
        trial.notify(0x001A, 9)
        #expect(trial.take() == ["sent 7 1", "dropped 8 1"])
        trial.receive("1E")
        #expect(trial.take() == ["confirmed 001A 9 1"])
    }

    @Test("The end of a subscription counts what waited for each owner in turn")
    func unsubscribed() throws {
        var trial = try Self.subscribed()
        for token in [1, 7, 7, 8, 7] as [UInt64] { trial.notify(0x001A, token) }
        #expect(trial.take() == [])
        trial.receive("12 1B 00 00 00")
        #expect(trial.take() == ["dropped 7 2", "dropped 8 1", "dropped 7 1"])
        trial.receive("1E")
        #expect(trial.take() == ["confirmed 001A 1 1"])
    }

    @Test("The end of the link counts the unconfirmed indication, those that wait, the batch, and what is held back")
    func closed() throws {
        var trial = try Self.subscribed()
        trial.receive("12 0B 00 04")
        trial.notify(0x001A, 1)
        trial.notify(0x001A, 2)
        trial.notify(0x001A, 3)
        trial.notify(0x0017, 4)
        trial.notify(0x0017, 4)
        trial.hold()
        trial.notify(0x0017, 5)
        trial.notify(0x001A, 6)
        #expect(trial.take() == [])
        trial.close()
        #expect(
            trial.take() == ["dropped 1 1", "dropped 2 1", "dropped 3 1", "dropped 4 2", "dropped 5 1", "dropped 6 1"]
        )
    }

    @Test("One notification that waits for others is counted at the end of the link")
    func closedWithOne() throws {
        var trial = try Self.subscribed()
        trial.receive("12 0B 00 04")
        trial.notify(0x0017, 4)
        trial.close()
        #expect(trial.take() == ["dropped 4 1"])
    }

    @Test("What waits for the MTU response is sent in its order afterwards, several values in one PDU")
    func released() throws {
        var trial = try Self.subscribed()
        trial.receive("12 0B 00 04")
        trial.hold()
        trial.notify(0x0017, 7)
        trial.notify(0x0017, 7)
        trial.notify(0x001A, 8)
        trial.notify(0x0017, 7)
        trial.flush()
        #expect(trial.take() == [])
        trial.release()
        #expect(trial.take() == ["sent 7 2"])
        trial.flush()
        #expect(trial.take() == ["sent 7 1"])
        trial.receive("1E")
        #expect(trial.take() == ["confirmed 001A 8 1"])
        // Nothing of it is sent again.
        trial.hold()
        trial.release()
        trial.flush()
        #expect(trial.take() == [])
    }

    @Test("An indication that waits for the MTU response leaves before a notification that came behind it")
    func indicatedLater() throws {
        try self.run(
            """
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            hold
            notify 001A 01
            notify 0017 02
            notify 001A 03
            release
            < 1D 1A 00 01
            < 1B 17 00 02
            > 1E
            ? confirmed 001A
            < 1D 1A 00 03
            """
        )
    }

    @Test("A value that waits for the MTU response is dropped where the link is not secure enough any more")
    func insecureLater() throws {
        try self.run(
            """
            security encrypted 16
            > 12 2C 00 01 00
            < 13
            ? subscribed 002A
            hold
            notify 002A 01
            security none 0
            release
            ? dropped 1
            """
        )
    }

    @Test("A value that waits for the MTU response is dropped where the client does not know of a change by then")
    func outOfSyncLater() throws {
        try self.run(
            """
            > 12 0B 00 01
            < 13
            > 12 18 00 01 00
            < 13
            ? subscribed 0017
            hold
            notify 0017 01
            add
            release
            ? dropped 1
            > 0A 10 00
            < 01 0A 10 00 12
            > 0A 10 00
            < 0B 01 02 03
            notify 0017 02
            < 1B 17 00 02
            """
        )
    }

    @Test("Indications beyond the limit are dropped when they are no longer held back")
    func limitLater() throws {
        try self.run(
            """
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            hold
            notify 001A 01
            notify 001A 02
            notify 001A 03
            release
            < 1D 1A 00 01
            ? dropped 1
            > 1E
            ? confirmed 001A
            < 1D 1A 00 02
            """,
            configure: { $0.indicationLimit = 1 }
        )
    }

    @Test("Each indication has 30 s of its own")
    func deadlines() throws {
        try self.run(
            """
            > 12 1B 00 02 00
            < 13
            ? subscribed 001A
            notify 001A 01
            < 1D 1A 00 01
            notify 001A 02
            wait 20
            > 1E
            ? confirmed 001A
            < 1D 1A 00 02
            wait 29
            > 1E
            ? confirmed 001A
            > 12 09 00 02 00
            < 13
            add
            < 1D 08 00 35 00 38 00
            wait 29
            > 1E
            wait 40
            """
        )
    }
}

extension ServerTrial {
    /// What has become of values since the last time: `sent 7 2` for two values of the owner 7.
    fileprivate mutating func take() -> [String] {
        self.take { action -> String? in
            switch action {
            case .send(_, let transmission?): "sent \(transmission.token.rawValue) \(transmission.count)"
            case .dropped(let transmission): "dropped \(transmission.token.rawValue) \(transmission.count)"
            case .confirmed(let handle, let transmission):
                "confirmed \(handle.hexDigits) \(transmission.token.rawValue) \(transmission.count)"
            default: nil
            }
        }
    }
}
