// What a described characteristic did in a recorded conversation: reads in order, values at times after a subscription,
// and what followed from writes. `corebluetooth clone` writes it, and `advertise` plays it.
//
//     { "uuid": "FFF1", "properties": ["read", "write", "notify"],
//       "reads": [ { "uint8": 1 }, { "uint8": 2 } ],
//       "notifications": [ { "after": 0.5, "value": { "uint8": 3 } } ],
//       "answers": [ { "written": { "hex": "01" }, "notifications": [ { "after": 0.1, "value": { "uint8": 4 } } ] } ] }

import BluetoothHost
import BluetoothTypes
import CommandLineTool
import CoreBluetooth
import Foundation
import NIOCore

extension GATTDescription {
    /// A value at a time.
    struct Timed: Decodable {
        /// Seconds after the subscription, or the write.
        var after: Double
        var value: Value
        /// The characteristic of the same service that sends it; this one unless given.
        var uuid: Identifier?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case after
            case value
            case uuid
        }
    }

    /// A write that is accepted, and its consequence.
    struct Reply: Decodable {
        /// What is written.
        var written: Value
        /// The ATT error code with which it is refused.
        var error: UInt8?
        /// Values that are sent after it.
        var notifications: [Timed]?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case written
            case error
            case notifications
        }
    }

    /// The description of a recorded peripheral.
    init(_ recorded: RecordedPeripheral) {
        let packets = [recorded.advertisingData, recorded.scanResponse].compactMap { $0 }
            .map { AdvertisingData(parsing: $0) }
        let advertised = packets.flatMap(\.serviceUUIDs)
        let uuids = Dictionary(
            recorded.services.map { ($0.handles.lowerBound, $0.uuid) },
            uniquingKeysWith: { first, _ in first }
        )
        name = recorded.name
        manufacturerData = packets.lazy.compactMap(\.manufacturerSpecificData).first
            .map { Value(Data($0.readableBytesView.prefix(AdvertisingOptions().manufacturerDataLimit))) }
        channels = nil
        services = recorded.servicesBehindIncludedOnes.map { service in
            let names = Dictionary(
                service.characteristics.map { ($0.handle, CBUUID(string: $0.uuid.attForm.description)) },
                uniquingKeysWith: { first, _ in first }
            )
            return Service(
                uuid: Identifier(uuid: CBUUID(string: service.uuid.attForm.description)),
                primary: service.isPrimary,
                advertise: advertised.contains(service.uuid),
                includes: service.includes.compactMap { uuids[$0] }
                    .map { Identifier(uuid: CBUUID(string: $0.attForm.description)) },
                characteristics: service.characteristics.map { Characteristic($0, names) }
            )
        }
        let appearance = packets.lazy.compactMap { $0[.appearance] }.first
            .flatMap { $0.getInteger(at: $0.readerIndex, endianness: .little, as: UInt16.self) }
        add(appearance.map(DescribedAppearance.init(value:)), as: \.appearance)
        add(packets.contains { $0[.txPowerLevel] != nil } ? true : nil, as: \.txPower)
        for entry in packets.flatMap(\.serviceData) {
            let uuid = Identifier(uuid: CBUUID(string: entry.uuid.attForm.description))
            let data = ServiceData(uuid: uuid, value: Value(Data(entry.data.readableBytesView)))
            add((serviceData ?? []) + [data], as: \.serviceData)
        }
    }

    /// Adds a part of the recorded advertisement, unless the packet has no space for it.
    private mutating func add<Part>(_ part: Part?, as key: WritableKeyPath<Self, Part?>) {
        let before = self[keyPath: key]
        self[keyPath: key] = part
        let options = advertisingOptions
        if options.octetCount > options.capacity { self[keyPath: key] = before }
    }
}

extension RecordedPeripheral {
    /// The services, each after those that it includes.
    fileprivate var servicesBehindIncludedOnes: [RecordedService] {
        var waiting = services
        var result: [RecordedService] = []
        while !waiting.isEmpty {
            let handles = Set(waiting.map(\.handles.lowerBound))
            // Services that include each other cannot be published as they are.
            let index = waiting.firstIndex { handles.isDisjoint(with: $0.includes) }
            var service = waiting.remove(at: index ?? 0)
            if index == nil { service.includes = [] }
            result.append(service)
        }
        return result
    }
}

extension GATTDescription.Characteristic {
    /// What a recorded characteristic is and did; `names` are those of its service.
    fileprivate init(_ recorded: RecordedCharacteristic, _ names: [AttributeHandle: CBUUID]) {
        let own = CBUUID(string: recorded.uuid.attForm.description)
        func timed(_ delay: TimeAmount, _ value: ByteBuffer, _ uuid: CBUUID) -> GATTDescription.Timed {
            GATTDescription.Timed(
                after: Double(delay.nanoseconds / 1000) / 1e6,
                value: .init(Data(value.readableBytesView)),
                uuid: uuid == own ? nil : .init(uuid: uuid)
            )
        }
        uuid = .init(uuid: own)
        let all: [(CharacteristicProperties, GATTDescription.Property)] = [
            (.read, .read), (.write, .write), (.writeWithoutResponse, .writeWithoutResponse), (.notify, .notify),
            (.indicate, .indicate),
        ]
        properties = all.filter { recorded.properties.contains($0.0) }.map(\.1)
        if recorded.demandsEncryption { security = .init(all: .encrypted) }
        for descriptor in recorded.descriptors {
            guard let value = descriptor.value else { continue }
            switch descriptor.uuid.shortValue {
            case GATTAttributeType.userDescription: description = String(buffer: value)
            case GATTAttributeType.presentationFormat: format = .init(Data(value.readableBytesView))
            default: break
            }
        }
        reads = recorded.reads.compactMap { read in
            guard case .success(let value) = read.result else { return nil }
            return .init(Data(value.readableBytesView))
        }
        if recorded.wasSubscribed { notifications = recorded.updates.map { timed($0.delay, $0.value, own) } }
        answers = recorded.writes.map { write in
            GATTDescription.Reply(
                written: .init(Data(write.value.readableBytesView)),
                error: write.error?.rawValue,
                notifications: write.answers.compactMap { answer in
                    names[answer.handle].map { timed(answer.delay, answer.value, $0) }
                }
            )
        }
        // Without a recorded value there is nothing to answer a read with.
        isStrict = true
    }

    /// The same as a record that can be played; `nil` for a characteristic of which nothing was recorded.
    var replay: CharacteristicReplay? {
        guard isStrict || reads != nil || answers != nil else { return nil }
        var record = RecordedCharacteristic(
            uuid: BluetoothUUID(uuid.uuid.uuidString) ?? 0,
            properties: [],
            handle: 1
        )
        record.reads = (reads ?? []).map { .init(.success(ByteBuffer(bytes: $0.data))) }
        record.writes = (answers ?? []).map { reply in
            .init(
                value: ByteBuffer(bytes: reply.written.data),
                error: reply.error.map(ATTErrorCode.init(rawValue:)),
                answers: (reply.notifications ?? []).map {
                    .init(
                        handle: 1,
                        delay: .nanoseconds(Int64($0.after * 1e9)),
                        value: ByteBuffer(bytes: $0.value.data)
                    )
                }
            )
        }
        return CharacteristicReplay(record)
    }

    /// The problem of a recording that is impossible.
    var recordingProblem: String? {
        let sendings = (notifications ?? []) + (answers ?? []).flatMap { $0.notifications ?? [] }
        guard sendings.allSatisfy({ $0.after >= 0 && $0.after <= Deadline.longest }) else {
            return ": after is a number of seconds from 0 to \(Int(Deadline.longest))"
        }
        let values = (reads ?? []) + sendings.map(\.value) + (answers ?? []).map(\.written)
        if let long = values.first(where: { $0.data.count > GATTDescription.Value.limit }) {
            return " has a value of \(long.data.count) octets; \(GATTDescription.Value.limit) are the limit"
        }
        if let code = (answers ?? []).compactMap(\.error).first(where: { $0 == 0 }) {
            return ": \(code) is no error"
        }
        if notifyEvery != nil, notifications != nil {
            return " has both notifyEvery and notifications; one of them is enough"
        }
        return nil
    }
}

extension GATTDescription {
    /// The description as the JSON that `advertise --gatt` reads.
    var json: Data {
        get throws {
            var object: [String: Any] = ["services": services.map(\.json)]
            if let name { object["name"] = name }
            if let manufacturerData { object["manufacturerData"] = manufacturerData.json }
            if let appearance { object["appearance"] = appearance.value.hexadecimalDigits }
            if let txPower { object["txPower"] = txPower }
            if let serviceData {
                object["serviceData"] = serviceData.map { ["uuid": $0.uuid.uuid.uuidString, "value": $0.value.json] }
            }
            return try JSONSerialization.data(
                withJSONObject: object,
                options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            )
        }
    }
}

extension GATTDescription.Service {
    fileprivate var json: [String: Any] {
        var object: [String: Any] = [
            "uuid": uuid.uuid.uuidString, "primary": primary ?? true, "advertise": advertise ?? true,
            "characteristics": (characteristics ?? []).map(\.json),
        ]
        if let includes, !includes.isEmpty { object["includes"] = includes.map(\.uuid.uuidString) }
        return object
    }
}

extension GATTDescription.Characteristic {
    fileprivate var json: [String: Any] {
        var object: [String: Any] = ["uuid": uuid.uuid.uuidString, "properties": properties.map(\.rawValue)]
        if let description { object["description"] = description }
        if let format { object["format"] = format.json }
        if security != nil { object["security"] = "encrypted" }
        if let reads, !reads.isEmpty { object["reads"] = reads.map(\.json) }
        if let notifications { object["notifications"] = notifications.map(\.json) }
        if let answers, !answers.isEmpty {
            object["answers"] = answers.map { reply in
                var answer: [String: Any] = ["written": reply.written.json]
                if let error = reply.error { answer["error"] = Int(error) }
                if let sent = reply.notifications, !sent.isEmpty { answer["notifications"] = sent.map(\.json) }
                return answer
            }
        }
        return object
    }
}

extension GATTDescription.Timed {
    fileprivate var json: [String: Any] {
        var object: [String: Any] = ["after": after, "value": value.json]
        if let uuid { object["uuid"] = uuid.uuid.uuidString }
        return object
    }
}

extension GATTDescription.Value {
    fileprivate var json: [String: Any] { ["hex": HexadecimalText.digits(data)] }
}
