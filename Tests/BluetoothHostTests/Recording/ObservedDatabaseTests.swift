// What is made of what was observed of a server: services and characteristics with their ranges, which value belongs to
// which write or subscription, and when.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: what was observed, as a recorded peripheral")
struct ObservedDatabaseTests {
    private var database = ObservedDatabase()

    private static let notify = CharacteristicProperties.notify.rawValue

    private func described() -> RecordedPeripheral {
        var peripheral = RecordedPeripheral()
        self.database.describe(&peripheral)
        return peripheral
    }

    /// The characteristics of the only service.
    private func characteristics() -> [RecordedCharacteristic] { self.described().services.flatMap(\.characteristics) }

    private mutating func service(_ start: AttributeHandle, _ end: AttributeHandle, _ uuid: UInt16 = 0x180D) {
        self.database.foundService(ByteBuffer(integer: uuid, endianness: .little), start, end, 0x2800)
    }

    private mutating func characteristic(
        _ declaration: AttributeHandle,
        value: AttributeHandle? = nil,
        _ properties: UInt8 = notify,
        _ uuid: UInt16 = 0x2A37
    ) {
        var octets = ByteBuffer(integer: properties)
        octets.writeInteger(value ?? declaration + 1, endianness: .little)
        octets.writeInteger(uuid, endianness: .little)
        self.database.found(octets, at: declaration, 0x2803, on: 1)
    }

    private mutating func sent(_ number: UInt8, of handle: AttributeHandle, on link: Int = 1, at time: Int64) {
        self.database.sent(ByteBuffer(integer: number), of: handle, on: link, at: time)
    }

    private mutating func wrote(_ number: UInt8, to handle: AttributeHandle, at time: Int64, answered: Int64? = nil) {
        let write = self.database.wrote(ByteBuffer(integer: number), to: handle, on: 1, at: time, .unanswered)
        if let answered { self.database.answered(write, .taken, at: answered) }
    }

    private mutating func subscribed(_ handle: AttributeHandle, _ bits: UInt8 = 1, at time: Int64) {
        let write = self.database.wrote(ByteBuffer(bytes: [bits, 0]), to: handle, on: 1, at: time, .unanswered)
        self.database.answered(write, .taken, at: time)
    }

    @Test("the name is that of the GAP service, by its type")
    mutating func deviceName() {
        for (offset, uuid) in [(0, 0x180A), (20, 0x1800)] as [(AttributeHandle, UInt16)] {
            self.service(offset + 1, offset + 9, uuid)
            self.characteristic(offset + 2, CharacteristicProperties.read.rawValue, 0x2A01)
            self.characteristic(offset + 4, CharacteristicProperties.read.rawValue, 0x2A00)
            self.database.read(ByteBuffer(string: "none"), of: offset + 3, offset: 0, on: 1)
            #expect(self.described().deviceName == nil)
            self.database.read(ByteBuffer(string: "Anna"), of: offset + 5, offset: 0, on: 1)
            #expect(self.described().deviceName == (offset == 0 ? nil : "Anna"))
        }
    }

    // MARK: Ranges

    @Test("a service that overlaps the next one ends in front of it")
    mutating func overlappingServices() {
        self.service(1, 20, 0x180D)
        self.service(10, 0xFFFF, 0x180F)
        #expect(self.described().services.map(\.handles) == [1...9, 10...0xFFFF])
        self.service(1, 9, 0x180D)
        #expect(self.described().services.map(\.handles) == [1...9, 10...0xFFFF])
        self.service(1, 8, 0x180D)
        #expect(self.described().services.map(\.handles) == [1...8, 10...0xFFFF])
    }

    @Test("a characteristic belongs to the service that has its declaration and its value")
    mutating func declarations() {
        self.service(1, 4, 0x180D)
        self.service(5, 8, 0x180F)
        // The first handle of a service is its own, and the value of one that begins at the end is behind it.
        self.characteristic(1, value: 2, 0, 0x2A01)
        self.characteristic(2, value: 4, 0, 0x2A02)
        self.characteristic(4, value: 5, 0, 0x2A03)
        self.characteristic(5, value: 6, 0, 0x2A04)
        self.characteristic(6, value: 8, 0, 0x2A05)
        // Two declarations of one value are a mistake: the first one counts.
        self.characteristic(7, value: 8, 0, 0x2A06)
        let services = self.described().services
        #expect(services.map { $0.characteristics.map(\.handle) } == [[4], [8]])
        #expect(services.map { $0.characteristics.map(\.uuid) } == [[0x2A02], [0x2A05]])
    }

    @Test("an included service is named by the service that has the declaration, and has to be there")
    mutating func includes() {
        self.service(1, 4, 0x180D)
        self.service(5, 8, 0x180F)
        self.service(9, 12, 0x1810)
        func include(_ start: UInt16, _ end: UInt16) -> ByteBuffer {
            var octets = ByteBuffer(integer: start, endianness: .little)
            octets.writeInteger(end, endianness: .little)
            return octets
        }
        self.database.found(include(9, 12), at: 4, 0x2802, on: 1)
        self.database.found(include(9, 12), at: 5, 0x2802, on: 1)
        self.database.found(include(20, 24), at: 6, 0x2802, on: 1)
        #expect(self.described().services.map(\.includes) == [[9], [9], []])
    }

    @Test("a descriptor belongs to the characteristic in front of it, as far as 64 handles behind the value")
    mutating func descriptors() {
        self.service(1, 0xFFFF)
        self.characteristic(2, 0)
        self.characteristic(6, 0)
        // In front of the second value, at 7, is its declaration.
        for handle in [3, 4, 5, 6, 7, 8, 71, 72] as [AttributeHandle] { self.database.found(0x2901, at: handle) }
        let characteristics = self.characteristics()
        #expect(characteristics.map(\.handle) == [3, 7])
        #expect(characteristics.map(\.descriptors.count) == [2, 2])
    }

    @Test("a value that was read is its descriptor's where it has one")
    mutating func descriptorValue() {
        self.service(1, 5)
        self.characteristic(2, 0)
        self.database.found(0x2900, at: 4)
        self.database.found(0x2901, at: 5)
        self.database.read(ByteBuffer(bytes: [7]), of: 5, offset: 0, on: 1)
        self.database.refusedRead(of: 5, .readNotPermitted)
        // Extended properties are made of the properties.
        #expect(self.characteristics()[0].descriptors == [.init(uuid: 0x2901, value: ByteBuffer(bytes: [7]))])
        #expect(self.characteristics()[0].reads.isEmpty)
    }

    // MARK: Client configurations

    @Test("a characteristic has no client configuration where all its descriptors were asked for, and none is one")
    mutating func noConfiguration() {
        self.service(1, 6)
        self.characteristic(2, 0)
        #expect(self.characteristics()[0].hasClientConfiguration)
        self.database.asked(.descriptors, from: 4, upTo: 5)
        #expect(self.characteristics()[0].hasClientConfiguration, "nobody asked for the last one")
        self.database.asked(.descriptors, from: 6, upTo: 6)
        #expect(!self.characteristics()[0].hasClientConfiguration, "both answers together are for all")
        self.database.found(0x2902, at: 6)
        #expect(self.characteristics()[0].hasClientConfiguration)
    }

    @Test(
        "answers that leave a handle out are not for all; those that overlap are",
        arguments: 4...6 as ClosedRange<AttributeHandle>
    )
    mutating func gap(missing: AttributeHandle) {
        self.service(1, 6)
        self.characteristic(2, 0)
        for handle in 4...6 as ClosedRange<AttributeHandle> where handle != missing {
            self.database.asked(.descriptors, from: handle, upTo: handle)
        }
        #expect(self.characteristics()[0].hasClientConfiguration)
        self.database.asked(.descriptors, from: 4, upTo: 6)
        self.database.asked(.descriptors, from: 5, upTo: 5)
        #expect(!self.characteristics()[0].hasClientConfiguration)
    }

    @Test("the handle behind a value that notifies is taken for the configuration, unless it is known for another one")
    mutating func guess() {
        self.service(1, 4)
        self.characteristic(2)
        self.subscribed(4, at: 1)
        #expect(self.characteristics()[0].wasSubscribed)
        self.database.found(0x2901, at: 4)
        #expect(!self.characteristics()[0].wasSubscribed)
        #expect(self.characteristics()[0].hasClientConfiguration, "nobody asked whether there is another")
    }

    @Test("a value at the last handle of its service, or of all, has no client configuration")
    mutating func lastHandle() {
        self.service(1, 3)
        self.characteristic(2)
        self.service(4, 0xFFFF, 0x180F)
        self.characteristic(0xFFFE)
        #expect(self.characteristics().map(\.handle) == [3, 0xFFFF])
        #expect(self.characteristics().allSatisfy { !$0.hasClientConfiguration })
    }

    // MARK: What was discovered

    @Test("a service was discovered where its characteristics were asked for, or it has room for none")
    mutating func discovered() {
        self.service(1, 1, 0x180F)
        self.service(2, 4, 0x180D)
        func discovered() -> [Bool] { self.described().services.map(\.wasDiscovered) }
        #expect(discovered() == [true, false])
        self.database.asked(.characteristics, from: 1, upTo: 1)
        self.database.asked(.characteristics, from: 5, upTo: 9)
        #expect(discovered() == [true, false])
        self.database.asked(.characteristics, from: 4, upTo: 4)
        #expect(discovered() == [true, true])
    }

    @Test("GATT's own service is as it was seen: full, with Service Changed alone, empty, or not there")
    mutating func genericAttribute() {
        func seen() -> GenericAttributeService? { self.described().genericAttribute }
        #expect(seen() == nil, "not all services were asked for")
        self.database.asked(.services, from: 1, upTo: 0xFFFF)
        #expect(seen() == .absent)
        self.service(1, 5, 0x1801)
        #expect(seen() == nil, "its characteristics were not asked for")
        self.database.asked(.characteristics, from: 1, upTo: 5)
        #expect(seen() == .empty)
        self.characteristic(2, 0x20, 0x2A05)
        #expect(seen() == .serviceChanged)
        self.characteristic(4, 0x02, 0x2B2A)
        #expect(seen() == .full)
        #expect(self.described().services.isEmpty)
    }

    // MARK: Values

    @Test("a value within a second of a write answers it, and one within a second of that answer, too")
    mutating func answers() {
        self.service(1, 9)
        self.characteristic(2, 0x08, 0x2A01)
        self.characteristic(4, Self.notify, 0x2A02)
        self.wrote(1, to: 3, at: 1000, answered: 1500)
        self.sent(2, of: 5, at: 1_001_000)
        self.sent(3, of: 5, at: 2_001_000)
        self.sent(4, of: 5, at: 3_001_001)
        let characteristics = self.characteristics()
        let answers = characteristics[0].writes[0].answers
        #expect(answers.map(\.delay) == [.microseconds(999_500), .microseconds(1_999_500)])
        #expect(answers.map(\.value) == [2, 3].map { ByteBuffer(integer: UInt8($0)) })
        // The third one was sent by itself, which is when the link's recording began.
        #expect(characteristics[1].updates == [.init(delay: .zero, value: ByteBuffer(integer: UInt8(4)))])
    }

    @Test("a value that comes in front of the write, by a clock that was set, answers nothing")
    mutating func earlier() {
        self.service(1, 9)
        self.characteristic(2, 0x08, 0x2A01)
        self.characteristic(4, Self.notify, 0x2A02)
        self.wrote(1, to: 3, at: 1000, answered: 1000)
        self.sent(2, of: 5, at: 1000)
        self.sent(3, of: 5, at: 999)
        #expect(self.characteristics()[0].writes[0].answers.map(\.delay) == [.zero])
        #expect(self.characteristics()[1].updates.count == 1)
    }

    @Test("who sends by itself answers no write on that link; the values of another link say nothing of it")
    mutating func byItself() {
        self.service(1, 9)
        self.characteristic(2, 0x08, 0x2A01)
        self.characteristic(4, Self.notify, 0x2A02)
        self.sent(1, of: 5, on: 2, at: 1)
        self.wrote(1, to: 3, at: 2, answered: 2)
        self.sent(2, of: 5, at: 3)
        self.subscribed(6, at: 4)
        self.sent(3, of: 5, at: 2_000_000)
        self.wrote(1, to: 3, at: 2_000_001, answered: 2_000_001)
        self.sent(4, of: 5, at: 2_000_002)
        let characteristics = self.characteristics()
        #expect(characteristics[0].writes.map(\.answers.count) == [1, 0])
        #expect(characteristics[1].updates.map(\.delay) == [.microseconds(1_999_996), .microseconds(1_999_998)])
    }

    @Test("a time counts from the subscription, or from the beginning of the link; a day is the longest")
    mutating func delays() {
        self.service(1, 9)
        self.characteristic(2)
        self.database.linkBegan(1, at: 100)
        self.sent(1, of: 3, at: 107)
        #expect(self.characteristics()[0].updates.map(\.delay) == [.microseconds(7)])
        self.subscribed(4, at: 200)
        self.sent(2, of: 3, at: 200)
        self.sent(3, of: 3, at: 199)
        self.sent(4, of: 3, at: 86_400_000_200)
        self.sent(5, of: 3, at: 86_400_000_201)
        #expect(self.characteristics()[0].updates.map(\.delay) == [.zero, .zero, .hours(24), .hours(24)])
    }

    @Test("of several subscriptions the one with the most values is kept, the first of equals")
    mutating func severalSubscriptions() {
        self.service(1, 9)
        self.characteristic(2)
        func values() -> [UInt8] { self.characteristics()[0].updates.flatMap { $0.value.readableBytesView } }
        self.subscribed(4, at: 0)
        self.sent(1, of: 3, at: 1)
        // Another bit is no subscription.
        self.subscribed(4, 4, at: 2)
        self.subscribed(4, 2, at: 3)
        self.sent(2, of: 3, at: 4)
        #expect(values() == [1])
        self.sent(3, of: 3, at: 5)
        #expect(values() == [2, 3])
        self.database.linkBegan(2, at: 6)
        for number in [4, 5] as [UInt8] { self.sent(number, of: 3, on: 2, at: 7) }
        #expect(values() == [2, 3])
    }

    @Test(
        "who is refused for want of security meets a demand for encryption; the refusal itself is not kept",
        arguments: [
            (ATTErrorCode.insufficientAuthentication, true), (.insufficientEncryption, true),
            (.encryptionKeySizeTooShort, true), (.insufficientAuthorization, false), (.readNotPermitted, false),
        ]
    )
    mutating func demands(error: ATTErrorCode, isDemand: Bool) {
        self.service(1, 9)
        self.characteristic(2)
        let empty = self.database
        self.database.refusedRead(of: 3, error)
        #expect(self.characteristics()[0].demandsEncryption == isDemand)
        #expect(self.characteristics()[0].reads.count == (isDemand ? 0 : 1))
        self.database = empty
        self.database.wrote(ByteBuffer(), to: 3, on: 1, at: 0, .refused(error))
        #expect(self.characteristics()[0].demandsEncryption == isDemand)
        #expect(self.characteristics()[0].writes.map(\.error) == (isDemand ? [] : [error]))
        self.database = empty
        self.database.wrote(ByteBuffer(bytes: [1, 0]), to: 4, on: 1, at: 0, .refused(error))
        #expect(self.characteristics()[0].demandsEncryption == isDemand)
        #expect(!self.characteristics()[0].wasSubscribed)
    }

    @Test("a read knows how many writes were before it; a write without an answer is known as such")
    mutating func order() {
        self.service(1, 9)
        self.characteristic(2, 0x0A)
        self.database.read(ByteBuffer(bytes: [1]), of: 3, offset: 0, on: 1)
        self.wrote(2, to: 3, at: 1, answered: 2)
        self.database.read(ByteBuffer(bytes: [2]), of: 3, offset: 0, on: 1)
        self.wrote(3, to: 3, at: 3)
        self.database.read(ByteBuffer(bytes: [3]), of: 3, offset: 0, on: 1)
        #expect(self.characteristics()[0].reads.map(\.writesBefore) == [0, 1, 2])
        #expect(self.characteristics()[0].writes.map(\.isUnanswered) == [false, true])
    }
}
