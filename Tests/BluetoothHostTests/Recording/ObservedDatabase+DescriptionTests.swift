// An observed server as services, characteristics and descriptors with their ranges.

import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("ObservedDatabase: description")
struct ObservedDatabaseDescriptionTests {
    private var observed = Observed()

    @Test("takes the name from the GAP service")
    mutating func deviceName() {
        for (offset, uuid) in [(0, 0x180A), (20, 0x1800)] as [(AttributeHandle, UInt16)] {
            self.observed.service(offset + 1, offset + 9, uuid)
            self.observed.characteristic(offset + 2, CharacteristicProperties.read.rawValue, 0x2A01)
            self.observed.characteristic(offset + 4, CharacteristicProperties.read.rawValue, 0x2A00)
            self.observed.database.read(ByteBuffer(string: "none"), of: offset + 3, offset: 0, on: 1)
            #expect(self.observed.described().deviceName == nil)
            self.observed.database.read(ByteBuffer(string: "Anna"), of: offset + 5, offset: 0, on: 1)
            #expect(self.observed.described().deviceName == (offset == 0 ? nil : "Anna"))
        }
    }

    @Test("uses the name from any read procedure, even if its service was not discovered")
    func nameByAnyProcedure() {
        let name = ByteBuffer(string: "Anna")
        var byType = Observed()
        byType.database.found(name, at: 3, BluetoothUUID(0x2A00), on: 1)
        #expect(byType.described().deviceName == "Anna")
        // A long name continues with Read Blob.
        byType.database.read(ByteBuffer(string: " Maria"), of: 3, offset: 4, on: 1)
        #expect(byType.described().deviceName == "Anna Maria")
        var byInformation = Observed()
        byInformation.database.found(BluetoothUUID(0x2A00), at: 3)
        byInformation.database.read(name, of: 3, offset: 0, on: 1)
        #expect(byInformation.described().deviceName == "Anna")
        var several = Observed()
        several.database.found(BluetoothUUID(0x2A00), at: 3)
        several.database.read(name, of: [3], on: 1)
        #expect(several.described().deviceName == "Anna")
        var other = Observed()
        other.service(1, 9, 0x180A)
        other.database.found(name, at: 3, BluetoothUUID(0x2A00), on: 1)
        #expect(other.described().deviceName == nil)
    }

    // MARK: Ranges

    @Test("ends a service before one that it overlaps")
    mutating func overlappingServices() {
        self.observed.service(1, 20, 0x180D)
        self.observed.service(10, 0xFFFF, 0x180F)
        #expect(self.observed.described().services.map(\.handles) == [1...9, 10...0xFFFF])
        self.observed.service(1, 9, 0x180D)
        #expect(self.observed.described().services.map(\.handles) == [1...9, 10...0xFFFF])
        self.observed.service(1, 8, 0x180D)
        #expect(self.observed.described().services.map(\.handles) == [1...8, 10...0xFFFF])
    }

    @Test("puts a characteristic into the service that contains its declaration and its value")
    mutating func declarations() {
        self.observed.service(1, 4, 0x180D)
        self.observed.service(5, 8, 0x180F)
        // The first handle of a service is its declaration, and a characteristic at its end has its value outside.
        self.observed.characteristic(1, value: 2, 0, 0x2A01)
        self.observed.characteristic(2, value: 4, 0, 0x2A02)
        self.observed.characteristic(4, value: 5, 0, 0x2A03)
        self.observed.characteristic(5, value: 6, 0, 0x2A04)
        self.observed.characteristic(6, value: 8, 0, 0x2A05)
        // Of two declarations of one value the first one counts.
        self.observed.characteristic(7, value: 8, 0, 0x2A06)
        let services = self.observed.described().services
        #expect(services.map { $0.characteristics.map(\.handle) } == [[4], [8]])
        #expect(services.map { $0.characteristics.map(\.uuid) } == [[0x2A02], [0x2A05]])
    }

    @Test("puts an include into the service that contains its declaration, if the included service exists")
    mutating func includes() {
        self.observed.service(1, 4, 0x180D)
        self.observed.service(5, 8, 0x180F)
        self.observed.service(9, 12, 0x1810)
        func include(_ start: UInt16, _ end: UInt16) -> ByteBuffer {
            var octets = ByteBuffer(integer: start, endianness: .little)
            octets.writeInteger(end, endianness: .little)
            return octets
        }
        self.observed.database.found(include(9, 12), at: 4, 0x2802, on: 1)
        self.observed.database.found(include(9, 12), at: 5, 0x2802, on: 1)
        self.observed.database.found(include(20, 24), at: 6, 0x2802, on: 1)
        #expect(self.observed.described().services.map(\.includes) == [[9], [9], []])
    }

    @Test("puts a descriptor into the characteristic before it, up to 64 handles after the value")
    mutating func descriptors() {
        self.observed.service(1, 0xFFFF)
        self.observed.characteristic(2, 0)
        self.observed.characteristic(6, 0)
        // The second value, at 7, is preceded by its declaration.
        for handle in [3, 4, 5, 6, 7, 8, 71, 72] as [AttributeHandle] {
            self.observed.database.found(0x2901, at: handle)
        }
        let characteristics = self.observed.characteristics()
        #expect(characteristics.map(\.handle) == [3, 7])
        #expect(characteristics.map(\.descriptors.count) == [2, 2])
    }

    @Test("uses a read value as that of a descriptor")
    mutating func descriptorValue() {
        self.observed.service(1, 5)
        self.observed.characteristic(2, 0)
        self.observed.database.found(0x2900, at: 4)
        self.observed.database.found(0x2901, at: 5)
        self.observed.database.read(ByteBuffer(bytes: [7]), of: 5, offset: 0, on: 1)
        self.observed.database.refusedRead(of: 5, .readNotPermitted)
        // Extended properties follow from the properties.
        #expect(self.observed.characteristics()[0].descriptors == [.init(uuid: 0x2901, value: ByteBuffer(bytes: [7]))])
        #expect(self.observed.characteristics()[0].reads.isEmpty)
    }

    // MARK: Client configurations

    @Test("finds no client configuration if all descriptors were discovered without one")
    mutating func noConfiguration() {
        self.observed.service(1, 6)
        self.observed.characteristic(2, 0)
        #expect(self.observed.characteristics()[0].hasClientConfiguration)
        self.observed.database.asked(.descriptors, from: 4, upTo: 5)
        #expect(self.observed.characteristics()[0].hasClientConfiguration, "the last handle was not asked for")
        self.observed.database.asked(.descriptors, from: 6, upTo: 6)
        #expect(!self.observed.characteristics()[0].hasClientConfiguration, "both answers together are for all")
        self.observed.database.found(0x2902, at: 6)
        #expect(self.observed.characteristics()[0].hasClientConfiguration)
    }

    @Test(
        "joins answers to a question only without a gap",
        arguments: 4...6 as ClosedRange<AttributeHandle>
    )
    mutating func gap(missing: AttributeHandle) {
        self.observed.service(1, 6)
        self.observed.characteristic(2, 0)
        for handle in 4...6 as ClosedRange<AttributeHandle> where handle != missing {
            self.observed.database.asked(.descriptors, from: handle, upTo: handle)
        }
        #expect(self.observed.characteristics()[0].hasClientConfiguration)
        self.observed.database.asked(.descriptors, from: 4, upTo: 6)
        self.observed.database.asked(.descriptors, from: 5, upTo: 5)
        #expect(!self.observed.characteristics()[0].hasClientConfiguration)
    }

    @Test("takes the handle after a value for the configuration, unless it is another descriptor")
    mutating func guess() {
        self.observed.service(1, 4)
        self.observed.characteristic(2)
        self.observed.subscribed(4, at: 1)
        #expect(self.observed.characteristics()[0].wasSubscribed)
        self.observed.database.found(0x2901, at: 4)
        #expect(!self.observed.characteristics()[0].wasSubscribed)
        #expect(self.observed.characteristics()[0].hasClientConfiguration, "no client asked whether there is another")
    }

    @Test("finds no client configuration after the last handle")
    mutating func lastHandle() {
        self.observed.service(1, 3)
        self.observed.characteristic(2)
        self.observed.service(4, 0xFFFF, 0x180F)
        self.observed.characteristic(0xFFFE)
        #expect(self.observed.characteristics().map(\.handle) == [3, 0xFFFF])
        #expect(self.observed.characteristics().allSatisfy { !$0.hasClientConfiguration })
    }

    // MARK: Discovery

    @Test("takes a service for discovered if its characteristics were requested, or it has no room for any")
    mutating func discovered() {
        self.observed.service(1, 1, 0x180F)
        self.observed.service(2, 4, 0x180D)
        func discovered() -> [Bool] { self.observed.described().services.map(\.wasDiscovered) }
        #expect(discovered() == [true, false])
        self.observed.database.asked(.characteristics, from: 1, upTo: 1)
        self.observed.database.asked(.characteristics, from: 5, upTo: 9)
        #expect(discovered() == [true, false])
        self.observed.database.asked(.characteristics, from: 4, upTo: 4)
        #expect(discovered() == [true, true])
    }

    @Test("reports the observed contents of the Generic Attribute service")
    mutating func genericAttribute() {
        func seen() -> GenericAttributeService? { self.observed.described().genericAttribute }
        #expect(seen() == nil, "not all services were requested")
        self.observed.database.asked(.services, from: 1, upTo: 0xFFFF)
        #expect(seen() == .absent)
        self.observed.service(1, 5, 0x1801)
        #expect(seen() == nil, "its characteristics were not requested")
        self.observed.database.asked(.characteristics, from: 1, upTo: 5)
        #expect(seen() == .empty)
        self.observed.characteristic(2, 0x20, 0x2A05)
        #expect(seen() == .serviceChanged)
        self.observed.characteristic(4, 0x02, 0x2B2A)
        #expect(seen() == .full)
        #expect(self.observed.described().services.isEmpty)
    }

    @Test(
        "takes a handle for a configuration only if subscription bits were written to it",
        arguments: [0, 4, 0xFC] as [UInt8]
    )
    mutating func noSubscription(bits: UInt8) {
        self.observed = .notifying
        self.observed.subscribed(4, bits, at: 1)
        #expect(!self.observed.characteristics()[0].wasSubscribed)
        self.observed.subscribed(4, bits | 2, at: 2)
        #expect(self.observed.characteristics()[0].wasSubscribed)
    }

    @Test("uses only a discovered configuration if there is one")
    mutating func foundConfiguration() {
        self.observed = .notifying
        self.observed.database.found(0x2902, at: 5)
        self.observed.subscribed(4, at: 1)
        #expect(!self.observed.characteristics()[0].wasSubscribed)
        self.observed.subscribed(5, at: 2)
        #expect(self.observed.characteristics()[0].wasSubscribed)
    }

    @Test(
        "takes the handle after a value for the configuration only if the value notifies or indicates",
        arguments: [(0x02, false), (0x10, true), (0x20, true), (0x08, false)] as [(UInt8, Bool)]
    )
    mutating func notSubscribable(properties: UInt8, isSubscribed: Bool) {
        self.observed.service(1, 9)
        self.observed.characteristic(2, properties)
        self.observed.subscribed(4, at: 1)
        #expect(self.observed.characteristics()[0].wasSubscribed == isSubscribed)
    }
}

/// A server that was observed on the link 1.
struct Observed {
    var database = ObservedDatabase()

    static let notify = CharacteristicProperties.notify.rawValue

    /// A service of the handles 1 to 9 whose characteristic, the value 3, notifies.
    static var notifying: Observed {
        var observed = Observed()
        observed.service(1, 9)
        observed.characteristic(2)
        return observed
    }

    /// A service of the handles 1 to 9 that is written at 3 and notifies at 5.
    static var writable: Observed {
        var observed = Observed()
        observed.service(1, 9)
        observed.characteristic(2, 0x08, 0x2A01)
        observed.characteristic(4, self.notify, 0x2A02)
        return observed
    }

    func described() -> RecordedPeripheral {
        var peripheral = RecordedPeripheral()
        self.database.describe(&peripheral)
        return peripheral
    }

    /// The characteristics of the only service.
    func characteristics() -> [RecordedCharacteristic] { self.described().services.flatMap(\.characteristics) }

    mutating func service(_ start: AttributeHandle, _ end: AttributeHandle, _ uuid: UInt16 = 0x180D) {
        self.database.foundService(ByteBuffer(integer: uuid, endianness: .little), start, end, 0x2800)
    }

    mutating func characteristic(
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

    mutating func sent(_ number: UInt8, of handle: AttributeHandle, on link: Int = 1, at time: Int64) {
        self.database.sent(ByteBuffer(integer: number), of: handle, on: link, at: time)
    }

    mutating func wrote(_ number: UInt8, to handle: AttributeHandle, at time: Int64, answered: Int64? = nil) {
        let write = self.database.wrote(ByteBuffer(integer: number), to: handle, on: 1, at: time, .unanswered)
        if let answered { self.database.answered(write, .taken, at: answered) }
    }

    mutating func subscribed(_ handle: AttributeHandle, _ bits: UInt8 = 1, at time: Int64) {
        let write = self.database.wrote(ByteBuffer(bytes: [bits, 0]), to: handle, on: 1, at: time, .unanswered)
        self.database.answered(write, .taken, at: time)
    }
}
