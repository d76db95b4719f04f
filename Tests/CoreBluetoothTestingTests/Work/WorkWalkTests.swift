// Work at random: whether it waits for time, what the system says of threads, and the order of what it asks for.

import BluetoothTypes
import Fixtures
import Testing

@testable import CoreBluetoothTesting

@Suite("Work at random")
struct WorkWalkTests {
    private struct Source {
        var generator: SeededGenerator

        init(_ seed: UInt64) { self.generator = SeededGenerator(seed: seed) }

        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self.generator) }

        mutating func chance(_ percent: Int) -> Bool { self.number(1...100) <= percent }

        mutating func look(_ number: Int) -> Stillness.Look {
            let hasBegun = self.chance(60)
            var activity: ThreadActivity?
            if hasBegun, self.chance(95) {
                activity = ThreadActivity(
                    isAsleep: self.chance(92),
                    hasTimeLimit: self.chance(5),
                    isInLock: self.chance(15),
                    runCount: UInt64(self.number(0...1))
                )
            }
            return Stillness.Look(
                number: UInt64(number),
                queue: UnsafeMutableRawPointer(bitPattern: self.number(0...2)),
                isForMainQueue: self.chance(20),
                hasBegun: hasBegun,
                activity: activity
            )
        }
    }

    @Test("How many looks make work still, and whether that holds for what is there later")
    func stillness() {
        var source = Source(1)
        for _ in 0..<500 {
            var stillness = Stillness()
            let looks = (0..<source.number(0...4)).map { source.look($0) }
            var text = "\(stillness.holds(for: looks))"
            for round in 1...(source.chance(20) ? 505 : 14) where stillness.isReached(by: looks) {
                text += " \(round)"
                #expect(round % Stillness.lookCount == 0 || round > Stillness.lookCount)
            }
            text += " \(stillness.holds(for: looks)) \(stillness.holds(for: looks.dropLast()))"
            let later = looks.enumerated().map { source.chance(80) ? $0.element : source.look($0.offset) }
            text += " \(stillness.holds(for: later))"
            for round in 1...12 where stillness.isReached(by: round < 4 ? looks : later) { text += " \(round)" }
            stillness.accept(later)
            text += " \(stillness.holds(for: later)) \(stillness.holds(for: later + [source.look(9)]))"
            RunRecord.note(text)
        }
    }

    @Test("What a thread does, from any text that the system may give")
    func threads() {
        var source = Source(2)
        let states = ["S", "R", "D", "T", "", "SS"]
        let words = ["0x0", "0x80", "0x6", "0x86", "0xd", "0x18d", "0x106", "0x9", "0x", "1", "x", "", "0x7f", "0x5"]
        let numbers = [202, 35, 230, 0, 98, 101, 115, 203, 231, 36, -1]
        for _ in 0..<800 {
            let status = source.chance(95) ? "17 (a) b) \(states[source.number(0...5)]) 1 17" : "17 S"
            let schedule = ["81234 99 \(source.number(0...9))\n", "81234 99", "", "a b c", "1 2 -3"][
                source.number(0...4)
            ]
            var call = source.chance(90) ? "\(numbers[source.number(0...10)])" : "running"
            for _ in 0..<source.number(0...4) { call += " " + words[source.number(0...words.count - 1)] }
            let activity = ThreadActivity(
                status: status,
                schedule: source.chance(80) ? schedule : nil,
                call: source.chance(90) ? call : nil
            )
            RunRecord.note(
                activity.map { "\($0.isAsleep) \($0.hasTimeLimit) \($0.isInLock) \($0.runCount)" } ?? "nothing"
            )
        }
    }

    @Test("Work is in the order of the devices, the test before them, then in that of its starts, then as it came")
    func order() {
        struct Asked {
            var order: WorkOrder
            var number: Int
        }
        var source = Source(3)
        for _ in 0..<200 {
            let asked = (0..<source.number(0...12)).map { number in
                let device = source.number(-1...2)
                return Asked(
                    order: WorkOrder(device: device < 0 ? nil : device, start: UInt64(source.number(0...2))),
                    number: number
                )
            }
            let sorted = asked.sorted(by: \.order)
            RunRecord.note("\(sorted.map(\.number))")
            for (one, next) in zip(sorted, sorted.dropFirst()) {
                #expect(one.order.place < next.order.place || one.order == next.order && one.number < next.number)
            }
        }
        for device in [nil, 0, 1, 1_000_000] {
            for start in [0, 1, 1 << 43, 1 << 44, .max] as [UInt64] {
                RunRecord.note("\(WorkOrder(device: device, start: start).place)")
            }
        }
    }
}
