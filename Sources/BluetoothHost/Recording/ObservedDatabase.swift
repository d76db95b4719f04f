// The database of a server as seen in its conversations, and all values that were read, written and sent, with links
// and times. ObservedDatabase+Description turns it into a recorded peripheral.

import BluetoothTypes
import NIOCore

/// The observed database of a server.
struct ObservedDatabase: Sendable {
    /// A client's question about a range of handles.
    enum Question: Hashable, Sendable {
        case services
        case characteristics
        case descriptors
    }

    /// The outcome of a write.
    enum WriteOutcome: Hashable, Sendable {
        /// It has no answer.
        case command
        /// It was accepted.
        case taken
        /// It was refused.
        case refused(ATTErrorCode)
        /// It has no answer yet.
        case unanswered
    }

    /// A service.
    struct Service: Sendable {
        var uuid: BluetoothUUID
        var end: AttributeHandle
        var isPrimary: Bool
    }

    /// A characteristic declaration.
    struct Declaration: Sendable {
        var uuid: BluetoothUUID
        var properties: CharacteristicProperties
        var valueHandle: AttributeHandle
    }

    /// An event of a value.
    struct Event: Sendable {
        enum Kind: Sendable {
            case read(Result<ByteBuffer, ATTErrorCode>)
            case write(ByteBuffer, WriteOutcome)
            case sent(ByteBuffer)
        }

        var handle: AttributeHandle
        var link: Int
        var time: Int64
        /// The time of the answer to a write.
        var answered: Int64?
        var kind: Kind
    }

    /// Services by their first handles.
    private(set) var services: [AttributeHandle: Service] = [:]
    /// Included services by the handles of the include declarations.
    private(set) var includes: [AttributeHandle: AttributeHandleRange] = [:]
    /// The last handles of included services by their first handles.
    private var includedServices: [AttributeHandle: AttributeHandle] = [:]
    /// The lengths of values that were read.
    private var lengths: [AttributeHandle: Int] = [:]
    /// Characteristics by the handles of their declarations.
    private(set) var declarations: [AttributeHandle: Declaration] = [:]
    /// Types of attributes from Find Information.
    private(set) var types: [AttributeHandle: BluetoothUUID] = [:]
    /// The device names that Read By Type has found.
    private var namesByType: Set<AttributeHandle> = []
    /// The questions about handles.
    private(set) var questions: [Question: [AttributeHandleRange]] = [:]
    /// The events, in order.
    private(set) var events: [Event] = []
    /// Whether all services were discovered, rather than some by their UUIDs.
    private(set) var wasListed = false
    /// The MTU that the server offers.
    var serverMTU: Int?
    /// The beginnings of links.
    private(set) var beginnings: [Int: Int64] = [:]
    /// The index of the last read of an attribute, and its link.
    private var lastRead: (handle: AttributeHandle, link: Int, index: Int)?

    // MARK: Discovery

    mutating func linkBegan(_ number: Int, at time: Int64) { self.beginnings[number] = time }

    mutating func asked(_ question: Question, from start: AttributeHandle, upTo end: AttributeHandle?) {
        guard let end, start <= end else { return }
        if question == .services { return self.wasListed = true }
        self.questions[question, default: []].append(start...end)
    }

    /// A service declaration of a type; `value` is its UUID.
    mutating func foundService(
        _ value: ByteBuffer,
        _ handle: AttributeHandle,
        _ end: AttributeHandle,
        _ type: BluetoothUUID
    ) {
        let isPrimary = type.shortValue == GATTAttributeType.primaryService
        guard isPrimary || type.shortValue == GATTAttributeType.secondaryService, handle > 0, handle <= end else {
            return
        }
        var value = value
        guard let uuid = try? BluetoothUUID(attribute: &value, "Service UUID") else { return }
        self.services[handle] = Service(uuid: uuid, end: end, isPrimary: isPrimary)
    }

    /// An attribute that Read By Type has found.
    mutating func found(_ value: ByteBuffer, at handle: AttributeHandle, _ type: BluetoothUUID, on link: Int) {
        var rest = value
        switch type.shortValue {
        case GATTAttributeType.characteristic:
            guard let properties = rest.readInteger(as: UInt8.self),
                let valueHandle = rest.readInteger(endianness: .little, as: UInt16.self), valueHandle > handle,
                let uuid = try? BluetoothUUID(attribute: &rest, "Characteristic UUID")
            else { return }
            self.declarations[handle] = Declaration(
                uuid: uuid,
                properties: CharacteristicProperties(rawValue: properties),
                valueHandle: valueHandle
            )
        case GATTAttributeType.include:
            guard let (start, end) = rest.readMultipleIntegers(endianness: .little, as: (UInt16, UInt16).self),
                start > 0, start <= end
            else { return }
            self.includes[handle] = start...end
            self.includedServices[start] = end
            // A 128-bit UUID has to be read separately.
            if let uuid = rest.readInteger(endianness: .little, as: UInt16.self), self.services[start] == nil {
                self.services[start] = Service(uuid: BluetoothUUID(uuid), end: end, isPrimary: false)
            }
        case GATTAttributeType.primaryService, GATTAttributeType.secondaryService: return
        default:
            if type.shortValue == GATTAttributeType.deviceName { self.namesByType.insert(handle) }
            self.read(value, of: handle, offset: 0, on: link)
        }
    }

    /// An attribute that Find Information has found.
    mutating func found(_ type: BluetoothUUID, at handle: AttributeHandle) { self.types[handle] = type }

    /// The first Device Name that was read, by any procedure, even without discovery.
    var deviceName: ByteBuffer? {
        let type = BluetoothUUID(GATTAttributeType.deviceName)
        var handles = self.namesByType
        handles.formUnion(self.types.filter { $0.value == type }.keys)
        handles.formUnion(self.declarations.values.filter { $0.uuid == type }.map(\.valueHandle))
        // Another service may have a characteristic of the same type.
        handles = handles.filter { handle in
            let service = self.services.filter { $0.key <= handle }.max { $0.key < $1.key }?.value
            return service.map { $0.end < handle || $0.uuid.shortValue == GATTAttributeType.genericAccessService }
                ?? true
        }
        for event in self.events where handles.contains(event.handle) {
            if case .read(.success(let name)) = event.kind { return name }
        }
        return nil
    }

    // MARK: Values

    /// A value was read from an offset on.
    mutating func read(_ value: ByteBuffer, of handle: AttributeHandle, offset: Int, on link: Int) {
        if offset == 0 {
            // The declaration of an included service with a 128-bit UUID.
            var rest = value
            if let end = self.includedServices[handle], self.services[handle] == nil,
                let uuid = try? BluetoothUUID(attribute: &rest, "Service UUID")
            {
                self.services[handle] = Service(uuid: uuid, end: end, isPrimary: false)
                return
            }
            self.lastRead = (handle, link, self.events.count)
            self.lengths[handle] = value.readableBytes
            return self.append(handle, link, .read(.success(value)))
        }
        guard let last = self.lastRead, last.handle == handle, last.link == link, last.index < self.events.count,
            case .read(.success(var whole)) = self.events[last.index].kind, whole.readableBytes == offset,
            offset + value.readableBytes <= ATT.maximumValueLength
        else { return }
        whole.writeImmutableBuffer(value)
        self.lengths[handle] = whole.readableBytes
        self.events[last.index].kind = .read(.success(whole))
    }

    /// Values without lengths can be separated if the lengths of all but the last are known.
    mutating func read(_ values: ByteBuffer, of handles: [AttributeHandle], on link: Int) {
        var rest = values
        for (index, handle) in handles.enumerated() {
            let length = index == handles.count - 1 ? rest.readableBytes : self.lengths[handle]
            guard let length, let value = rest.readSlice(length: length) else { return }
            self.append(handle, link, .read(.success(value)))
        }
    }

    mutating func refusedRead(of handle: AttributeHandle, _ error: ATTErrorCode) {
        self.append(handle, 0, .read(.failure(error)))
    }

    /// A value was written; gives a number for ``answered(_:_:)``.
    @discardableResult
    mutating func wrote(
        _ value: ByteBuffer,
        to handle: AttributeHandle,
        on link: Int,
        at time: Int64,
        _ outcome: WriteOutcome
    ) -> Int {
        self.append(handle, link, .write(value, outcome), at: time)
        return self.events.count - 1
    }

    /// A write was answered.
    mutating func answered(_ write: Int, _ outcome: WriteOutcome, at time: Int64) {
        guard write < self.events.count, case .write(let value, _) = self.events[write].kind else { return }
        self.events[write].kind = .write(value, outcome)
        self.events[write].answered = time
    }

    mutating func sent(_ value: ByteBuffer, of handle: AttributeHandle, on link: Int, at time: Int64) {
        self.append(handle, link, .sent(value), at: time)
    }

    private mutating func append(_ handle: AttributeHandle, _ link: Int, _ kind: Event.Kind, at time: Int64 = 0) {
        self.events.append(Event(handle: handle, link: link, time: time, kind: kind))
    }
}
