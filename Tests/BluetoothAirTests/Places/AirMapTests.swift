// Who is looked up as a receiver, compared with what the path loss says of every pair.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import NIOEmbedded
import Testing

@testable import BluetoothAir

@Suite("Map of the air")
struct AirMapTests {
    /// A sender with the receivers that were looked up for it.
    private struct Sender {
        var controller: VirtualController
        var receivers = Receivers()
        var txPower: TransmitPower
    }

    /// Looks up the receivers of every sender, and compares them with those that its signal reaches.
    private func check(_ senders: inout [Sender], on air: Air, sourceLocation: SourceLocation = #_sourceLocation) {
        for index in senders.indices {
            let sender = air.controllers[index]
            let txPower = senders[index].txPower
            senders[index].receivers.update(for: sender, txPower: txPower, on: air.map, air.obstacles)
            RunRecord.note(
                "\(index) "
                    + senders[index].receivers.entries.map { "\($0.order)/\($0.change)/\($0.rssi?.dBm ?? 0)" }
                    .joined(separator: " ")
            )
            let found = senders[index].receivers.entries.filter { $0.rssi != nil }
            let expected = air.controllers.filter {
                $0 !== sender && air.strength(from: sender, to: $0, txPower: txPower) != nil
            }
            #expect(found.map(\.order) == expected.map(\.index), sourceLocation: sourceLocation)
            #expect(
                found.map(\.rssi) == expected.map { air.strength(from: sender, to: $0, txPower: txPower) },
                sourceLocation: sourceLocation
            )
            #expect(found.allSatisfy { air.controller($0.slot)?.index == $0.order }, sourceLocation: sourceLocation)
        }
    }

    @Test(
        "receivers are those that the signal reaches, whatever comes, goes, moves or stands between",
        arguments: 1...8
    )
    func receivers(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func number(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }
        // Around the corner of four cells, and some far away.
        func position() -> AirPosition {
            let scale = number(4) == 0 ? 10.0 : 1
            return AirPosition(x: Double(number(2_000) - 1_000) * scale, y: Double(number(2_000) - 1_000) * scale)
        }
        func location() -> AirLocation {
            number(5) == 0 ? .distance(.metres(Double(number(500)))) : .position(position())
        }
        let air = Air(eventLoop: EmbeddedEventLoop())
        var senders: [Sender] = []
        func add() {
            let controller = air.makeController()
            controller.location = location()
            senders.append(Sender(controller: controller, txPower: TransmitPower(dBm: [0, 0, 0, -20, 10][number(5)])))
        }
        for _ in 0..<40 { add() }
        self.check(&senders, on: air)
        for _ in 0..<100 {
            switch number(8) {
            case 0: add()
            case 1: senders.remove(at: number(senders.count)).controller.close()
            case 2:
                air.walls = (0..<number(6)).map { _ in
                    AirWall(from: position(), to: position(), attenuation: .decibels(Double(number(60))))
                }
            case 3:
                let (one, other) = (number(senders.count), number(senders.count))
                guard one != other else { continue }
                senders[one].controller.setAttenuation(number(2) == 0 ? .infinite : 0, to: senders[other].controller)
            default: senders[number(senders.count)].controller.location = location()
            }
            self.check(&senders, on: air)
        }
    }

    @Test("what was reported to a receiver stays known when another one moves")
    func reportedStays() {
        let air = Air(eventLoop: EmbeddedEventLoop())
        let controllers = (0..<3).map { _ in air.makeController() }
        for (index, controller) in controllers.enumerated() {
            controller.location = .position(AirPosition(x: Double(index) * 10, y: 0))
        }
        var receivers = Receivers()
        func update() { receivers.update(for: air.controllers[0], txPower: 0, on: air.map, air.obstacles) }
        func isComplete(_ index: Int) -> Bool { receivers.entries[index].reported.isComplete(1, for: .changes(5)) }
        update()
        for index in 0...1 {
            let needsReport = receivers.entries[index].reported.needsReport(1, for: .changes(5), awaitsResponse: false)
            #expect(needsReport)
            receivers.entries[index].reported.noteReport()
        }
        controllers[2].location = .position(AirPosition(x: 30, y: 0))
        update()
        #expect(receivers.entries.map(\.rssi) == [-65, -75])
        #expect(isComplete(0))
        #expect(!isComplete(1), "it hears another strength")
        #expect(!receivers.entries[0].reported.isComplete(2, for: .changes(5)))
        #expect(!receivers.entries[0].reported.isComplete(1, for: .changes(6)))
    }

    @Test("a sender of 0 dBm is heard in its own cell and the eight around it, and no farther")
    func range() {
        #expect(PathLoss.strength(distance: .metres(AirMap.cellSize), txPower: 0) == nil)
        #expect(PathLoss.strength(distance: .metres(AirMap.cellSize - 0.01), txPower: 0) == -95)
        #expect(AirMap.cellSize > 334 && AirMap.cellSize < 335)
    }

    @Test("what has changed around a place, and who may be heard there, on record", arguments: 1...4)
    func changes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
        // Corners of cells, what is just beside them, and the range itself.
        let steps = [-2, -1.001, -1, -0.999, 0, 0.001, 0.5, 0.999, 1, 1.001, 2].map { $0 * AirMap.cellSize }
        func location() -> AirLocation {
            if number(0...5) == 0 { return .distance(.metres(Double(number(0...400)))) }
            return .position(AirPosition(x: steps[number(0...10)], y: steps[number(0...10)]))
        }
        var map = AirMap()
        var places: [Int: AirLocation] = [:]
        for _ in 0..<300 {
            let slot = number(0...11)
            let before = map.lastChange
            if number(0...3) == 0, let place = places[slot] {
                map.remove(slot, at: place)
                places[slot] = nil
            } else {
                let next = location()
                map.place(slot, order: 20 - slot, at: next, before: places[slot])
                places[slot] = next
            }
            #expect(map.lastChange > before)
            #expect(map.all.map(\.slot) == places.keys.sorted(by: >))
            let here = location()
            let candidates = map.candidates(around: here)
            // All that hear a sender there are among them, in the order of creation.
            let heard = places.filter { PathLoss.strength(distance: here.distance(to: $0.value), txPower: 0) != nil }
            #expect(Set(heard.keys).isSubset(of: candidates.map(\.slot)))
            #expect(candidates.map(\.order) == candidates.map(\.order).sorted())
            let isUnchanged = [0, 1, 5].map {
                map.isUnchanged(since: map.lastChange &- min($0, map.lastChange), around: here)
            }
            #expect(isUnchanged[0])
            RunRecord.note("\(candidates.map { "\($0.slot)/\($0.change)" }) \(isUnchanged) \(map.cellCount)")
        }
    }

    @Test("cells in which nobody is any more are forgotten")
    func emptyCells() {
        var map = AirMap()
        var location = AirLocation.distance(.metres(1))
        map.place(0, order: 0, at: location, before: nil)
        for step in 1...100 {
            let change = map.lastChange
            let next = AirLocation.position(AirPosition(x: Double(step) * 1_000, y: 0))
            map.place(0, order: 0, at: next, before: location)
            #expect(!map.isUnchanged(since: change, around: location))
            #expect(!map.isUnchanged(since: change, around: next))
            #expect(map.isUnchanged(since: map.lastChange, around: next))
            location = next
        }
        #expect(map.cellCount == 1)
        map.remove(0, at: location)
        #expect(map.cellCount == 0 && map.all.isEmpty)
    }
}
