// One host of Processes.swift: this program as a separate process, which carries out orders from its standard input and
// reports on its standard output when each is done.
//
// At a pace, the app's own thread sleeps from one operation to the next and calls from there; the manager's queue is
// another, as in the other cases.

import BenchmarkSupport
import CoreBluetooth
import Foundation

enum Member {
    /// An order, one line on the standard input: a word, a count, the octets of a value, and the time from one
    /// operation to the next in microseconds, 0 for as fast as it goes.
    struct Order {
        var word: String
        var count: Int
        var octets: Int
        var pace: Int

        init(_ line: String) {
            let words = line.split(separator: " ").map(String.init)
            let numbers = words.compactMap { Int($0) }
            self.word = words.prefix { Int($0) == nil }.joined(separator: " ")
            self.count = numbers.first ?? 0
            self.octets = numbers.dropFirst().first ?? 0
            self.pace = numbers.dropFirst(2).first ?? 0
        }
    }

    /// Works as the peripheral or the central until the standard input ends.
    static func run(_ role: String, adapter name: String) -> Never {
        guard let adapter = try? BluetoothAdapter(name) else { fatalError("\(name) is no adapter") }
        switch role {
        case "peripheral":
            let peripheral = Peripheral(valueLength: 20)
            peripheral.start(on: adapter)
            self.serve { self.carryOut($0, on: peripheral) }
        default:
            let central = Central()
            central.start(on: adapter)
            self.serve { self.carryOut($0, on: central) }
        }
    }

    static func serve(_ carryOut: (Order) -> Void) -> Never {
        self.say("ready")
        var mark = Meter.usage()
        while let line = readLine() {
            let order = Order(line)
            if order.word == "mark" {
                let now = Meter.usage()
                self.say("usage \(now.processor - mark.processor) \(now.sleeps - mark.sleeps)")
                mark = Meter.usage()
            } else {
                carryOut(order)
            }
        }
        exit(0)
    }

    private static func carryOut(_ order: Order, on peripheral: Peripheral) {
        switch order.word {
        case "expect write":
            peripheral.expect(order.count) { self.say("done") }
            self.say("armed")
        case "expect read":
            // The host answers by itself, so the app has nothing to count.
            self.say("armed")
        case "notify" where order.pace > 0:
            self.repeat(order) {
                expect(peripheral.send(octets: order.octets), "no room for a notification")
            }
            self.say("done")
        case "notify":
            peripheral.send(order.count, octets: order.octets)
            self.say("done")
        case "idle":
            self.repeat(order) {}
            self.say("done")
        default: break
        }
    }

    private static func carryOut(_ order: Order, on central: Central) {
        switch order.word {
        case "expect notify":
            central.expect(order.count) { self.say("done") }
            self.say("armed")
        case "write" where order.pace > 0:
            self.repeat(order) { central.writeOnceWithoutResponse(octets: order.octets) }
            self.say("done")
        case "write":
            central.writeWithoutResponse(count: order.count, octets: order.octets)
            self.say("done")
        case "read":
            central.read(Peripheral.fixed, count: order.count)
            self.say("done")
        default: break
        }
    }

    /// Repeats an operation as often as a line says, at its pace.
    static func `repeat`(_ order: Order, _ work: () -> Void) {
        var next = timespec()
        clock_gettime(CLOCK_MONOTONIC, &next)
        for _ in 0..<order.count {
            next.tv_nsec += order.pace * 1000
            next.tv_sec += next.tv_nsec / 1_000_000_000
            next.tv_nsec %= 1_000_000_000
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nil)
            work()
        }
    }

    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
