// What is made of captures as chance makes them, on record: peripherals, their databases, and what they answered; and
// how a recorded characteristic answers then.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Recording: a walk")
struct RecordingWalkTests {
    @Test("the peripherals of captures", arguments: 1...12 as ClosedRange<UInt64>)
    func captures(seed: UInt64) {
        var walk = PacketWalk(seed: seed &+ 40)
        var reader = ConversationReader()
        var packets: [(HCIPacket, PacketFormatter.Direction, Int64)] = []
        for _ in 0..<30 {
            for _ in 0..<20 {
                for entry in walk.next() {
                    reader.receive(entry.packet, entry.direction, at: entry.time)
                    packets.append(entry)
                }
            }
            RunRecord.note("\(packets.count) \(reader.advertiserCount)")
            for (place, (key, peripheral)) in reader.peripherals().enumerated() {
                RunRecord.note("\(packets.count) \(place) \(key) \(peripheral.text)")
            }
        }
        let conversations = RecordedConversations(packets)
        let devices: [String?] = [nil, "local", "link-64", "LINK-65", "Ball", "Ba", "c0:11:22:33:44:55", "nobody"]
        for device in devices {
            do {
                let text = try conversations.peripheral(device).text
                RunRecord.note("\(device ?? "any") \(text)")
                #expect(device != "nobody")
            } catch {
                RunRecord.note("\(device ?? "any") \(error)")
                #expect(!error.description.contains("\n"))
            }
        }
    }

    @Test("databases that are seen in any order", arguments: 1...10 as ClosedRange<UInt64>)
    func databases(seed: UInt64) {
        var walk = DatabaseWalk(seed: seed)
        for number in 0..<40 {
            for _ in 0..<8 { walk.step() }
            var peripheral = RecordedPeripheral()
            walk.database.describe(&peripheral)
            RunRecord.note("\(number) \(peripheral.text)")
        }
    }

    @Test("a characteristic that is read and written again in another order")
    func replays() {
        var walk = PacketWalk(seed: 3)
        for round in 0..<60 {
            var record = RecordedCharacteristic(uuid: 0x2A37, properties: [.read, .write], handle: 3)
            func value() -> ByteBuffer { ByteBuffer(bytes: [UInt8(walk.number(0...3))]) }
            var writes = 0
            for _ in 0..<walk.number(0...5) {
                record.reads.append(
                    .init(
                        walk.number(0...3) == 0 ? .failure(.readNotPermitted) : .success(value()),
                        writesBefore: writes
                    )
                )
                writes += walk.number(0...1)
            }
            for _ in 0..<walk.number(0...5) {
                record.writes.append(.init(value: value(), error: walk.number(0...3) == 0 ? .outOfRange : nil))
                if walk.number(0...4) == 0 { record.updates.append(.init(delay: .seconds(1), value: value())) }
            }
            RunRecord.note("\(round) first \(record.firstValue.map { hex($0) } ?? "none")")
            var replay = CharacteristicReplay(record)
            for step in 0..<14 {
                switch walk.number(0...5) {
                case 0:
                    let sent = value()
                    replay.sent(sent)
                case 1...2:
                    let written = value()
                    RunRecord.note("\(round) \(step) write \(replay.write(written)?.text ?? "never")")
                default: RunRecord.note("\(round) \(step) read \(replay.read()?.text ?? "never")")
                }
            }
        }
    }
}

/// Tells a database what was seen, as chance has it.
private struct DatabaseWalk {
    private(set) var database = ObservedDatabase()
    private var walk: PacketWalk
    private var time: Int64 = 0
    private var writes: [Int] = []
    private let last: AttributeHandle

    init(seed: UInt64) {
        self.walk = PacketWalk(seed: seed &+ 80)
        self.last = seed % 3 == 0 ? 0xFFFF : 24
    }

    private mutating func handle() -> AttributeHandle { self.last - UInt16(self.walk.number(0...23)) }

    private mutating func uuid() -> ByteBuffer {
        let uuids: [UInt16] = [0x1800, 0x1801, 0x180D, 0x2A00, 0x2A05, 0x2B2A, 0x2A37]
        return ByteBuffer(integer: self.walk.one(of: uuids), endianness: .little)
    }

    private mutating func value() -> ByteBuffer {
        ByteBuffer(bytes: (0..<self.walk.number(0...2)).map { _ in UInt8(self.walk.number(0...4)) })
    }

    mutating func step() {
        let steps: [Int64] = [0, 1, 500_000, 999_999, 1_000_000, 1_000_001, 86_400_000_000, 86_400_000_001, -1]
        self.time += self.walk.one(of: steps)
        let (handle, link) = (self.handle(), self.walk.number(1...2))
        let other = self.handle()
        let errors: [ATTErrorCode] = [.insufficientAuthentication, .insufficientEncryption, .readNotPermitted]
        switch self.walk.number(0...21) {
        case 0: self.database.linkBegan(link, at: self.walk.number(0...9) == 0 ? .min : self.time)
        case 1...3:
            let questions: [ObservedDatabase.Question] = [.characteristics, .descriptors, .descriptors, .services]
            let end = self.walk.number(0...5) == 0 ? nil : other
            self.database.asked(self.walk.one(of: questions), from: handle, upTo: end)
        case 4...5:
            let types: [BluetoothUUID] = [0x2800, 0x2800, 0x2801, 0x2802]
            let length = self.walk.number(0...7)
            let uuid = length == 0 ? ByteBuffer(bytes: [1]) : self.uuid()
            self.database.foundService(uuid, handle, other, self.walk.one(of: types))
        case 6...9:
            var declaration = ByteBuffer(integer: self.walk.one(of: [0x10, 0x12, 0x20, 0x0A, 0x02] as [UInt8]))
            declaration.writeInteger(handle &+ UInt16(self.walk.number(0...2)), endianness: .little)
            declaration.writeImmutableBuffer(self.uuid())
            self.database.found(declaration, at: handle, 0x2803, on: link)
        case 10:
            var include = ByteBuffer()
            include.writeMultipleIntegers(self.walk.number(0...9) == 0 ? 0 : handle, other, endianness: .little)
            if self.walk.number(0...1) == 0 { include.writeImmutableBuffer(self.uuid()) }
            self.database.found(include, at: self.handle(), 0x2802, on: link)
        case 11...12:
            let types: [BluetoothUUID] = [0x2902, 0x2902, 0x2901, 0x2900, 0x2803, 0x2802, 0x2904]
            self.database.found(self.walk.one(of: types), at: handle)
        case 13: self.database.read(self.value(), of: handle, offset: self.walk.number(0...2), on: link)
        case 14: self.database.read(ByteBuffer(repeating: 1, count: 16), of: handle, offset: 0, on: link)
        case 15: self.database.read(self.value(), of: [handle, other, self.handle()], on: link)
        case 16: self.database.refusedRead(of: handle, self.walk.one(of: errors))
        case 17...18:
            let outcomes: [ObservedDatabase.WriteOutcome] = [
                .command, .unanswered, .unanswered, .refused(.insufficientEncryption), .refused(.outOfRange),
            ]
            let outcome = self.walk.one(of: outcomes)
            self.writes.append(self.database.wrote(self.value(), to: handle, on: link, at: self.time, outcome))
        case 19:
            let outcomes: [ObservedDatabase.WriteOutcome] = [.taken, .taken, .refused(self.walk.one(of: errors))]
            let number = self.writes.isEmpty ? self.walk.number(0...9) : self.walk.one(of: self.writes)
            self.database.answered(number, self.walk.one(of: outcomes), at: self.time)
        default: self.database.sent(self.value(), of: handle, on: link, at: self.time)
        }
    }
}
