// The assignment of observed values to writes and subscriptions, and their times.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("EventPlacement")
struct EventPlacementTests {
    private var observed = Observed()

    @Test("takes a value within a second of a write, or of its last answer, for an answer")
    mutating func answers() {
        self.observed = .writable
        self.observed.wrote(1, to: 3, at: 1000, answered: 1500)
        self.observed.sent(2, of: 5, at: 1_001_000)
        self.observed.sent(3, of: 5, at: 2_001_000)
        self.observed.sent(4, of: 5, at: 3_001_001)
        let characteristics = self.observed.characteristics()
        let answers = characteristics[0].writes[0].answers
        #expect(answers.map(\.delay) == [.microseconds(999_500), .microseconds(1_999_500)])
        #expect(answers.map(\.value) == [2, 3].map { ByteBuffer(integer: UInt8($0)) })
        // The third one was sent spontaneously; its time counts from the beginning of the link.
        #expect(characteristics[1].updates == [.init(delay: .zero, value: ByteBuffer(integer: UInt8(4)))])
    }

    @Test("does not take a value from before the write for an answer")
    mutating func earlier() {
        self.observed = .writable
        self.observed.wrote(1, to: 3, at: 1000, answered: 1000)
        self.observed.sent(2, of: 5, at: 1000)
        self.observed.sent(3, of: 5, at: 999)
        #expect(self.observed.characteristics()[0].writes[0].answers.map(\.delay) == [.zero])
        #expect(self.observed.characteristics()[1].updates.count == 1)
    }

    @Test("does not take a value for an answer on a link on which the characteristic sends spontaneously")
    mutating func byItself() {
        self.observed = .writable
        self.observed.sent(1, of: 5, on: 2, at: 1)
        self.observed.wrote(1, to: 3, at: 2, answered: 2)
        self.observed.sent(2, of: 5, at: 3)
        self.observed.subscribed(6, at: 4)
        self.observed.sent(3, of: 5, at: 2_000_000)
        self.observed.wrote(1, to: 3, at: 2_000_001, answered: 2_000_001)
        self.observed.sent(4, of: 5, at: 2_000_002)
        let characteristics = self.observed.characteristics()
        #expect(characteristics[0].writes.map(\.answers.count) == [1, 0])
        #expect(characteristics[1].updates.map(\.delay) == [.microseconds(1_999_996), .microseconds(1_999_998)])
    }

    @Test("counts times from the subscription, or from the beginning of the link, up to a day")
    mutating func delays() {
        self.observed = .notifying
        self.observed.database.linkBegan(1, at: 100)
        self.observed.sent(1, of: 3, at: 107)
        #expect(self.observed.characteristics()[0].updates.map(\.delay) == [.microseconds(7)])
        self.observed.subscribed(4, at: 200)
        self.observed.sent(2, of: 3, at: 200)
        self.observed.sent(3, of: 3, at: 199)
        self.observed.sent(4, of: 3, at: 86_400_000_200)
        self.observed.sent(5, of: 3, at: 86_400_000_201)
        #expect(self.observed.characteristics()[0].updates.map(\.delay) == [.zero, .zero, .hours(24), .hours(24)])
    }

    @Test("keeps the subscription with the most values, or the first of equals")
    mutating func severalSubscriptions() {
        self.observed = .notifying
        func values() -> [UInt8] { self.observed.characteristics()[0].updates.flatMap { $0.value.readableBytesView } }
        self.observed.subscribed(4, at: 0)
        self.observed.sent(1, of: 3, at: 1)
        // Another bit is not a subscription.
        self.observed.subscribed(4, 4, at: 2)
        self.observed.subscribed(4, 2, at: 3)
        self.observed.sent(2, of: 3, at: 4)
        #expect(values() == [1])
        self.observed.sent(3, of: 3, at: 5)
        #expect(values() == [2, 3])
        self.observed.database.linkBegan(2, at: 6)
        for number in [4, 5] as [UInt8] { self.observed.sent(number, of: 3, on: 2, at: 7) }
        #expect(values() == [2, 3])
    }

    @Test(
        "takes a refusal for lack of security for a requirement of encryption",
        arguments: [
            (ATTErrorCode.insufficientAuthentication, true), (.insufficientEncryption, true),
            (.encryptionKeySizeTooShort, true), (.insufficientAuthorization, false), (.readNotPermitted, false),
        ]
    )
    mutating func demands(error: ATTErrorCode, isDemand: Bool) {
        self.observed = .notifying
        let empty = self.observed.database
        self.observed.database.refusedRead(of: 3, error)
        #expect(self.observed.characteristics()[0].demandsEncryption == isDemand)
        #expect(self.observed.characteristics()[0].reads.count == (isDemand ? 0 : 1))
        self.observed.database = empty
        self.observed.database.wrote(ByteBuffer(), to: 3, on: 1, at: 0, .refused(error))
        #expect(self.observed.characteristics()[0].demandsEncryption == isDemand)
        #expect(self.observed.characteristics()[0].writes.map(\.error) == (isDemand ? [] : [error]))
        self.observed.database = empty
        self.observed.database.wrote(ByteBuffer(bytes: [1, 0]), to: 4, on: 1, at: 0, .refused(error))
        #expect(self.observed.characteristics()[0].demandsEncryption == isDemand)
        #expect(!self.observed.characteristics()[0].wasSubscribed)
    }

    @Test("counts the writes before each read, and marks writes without an answer")
    mutating func order() {
        self.observed.service(1, 9)
        self.observed.characteristic(2, 0x0A)
        self.observed.database.read(ByteBuffer(bytes: [1]), of: 3, offset: 0, on: 1)
        self.observed.wrote(2, to: 3, at: 1, answered: 2)
        self.observed.database.read(ByteBuffer(bytes: [2]), of: 3, offset: 0, on: 1)
        self.observed.wrote(3, to: 3, at: 3)
        self.observed.database.read(ByteBuffer(bytes: [3]), of: 3, offset: 0, on: 1)
        #expect(self.observed.characteristics()[0].reads.map(\.writesBefore) == [0, 1, 2])
        #expect(self.observed.characteristics()[0].writes.map(\.isUnanswered) == [false, true])
    }
}
