// Measures the whole path — façade, GATT, ATT, L2CAP, HCI, virtual controller, air, and back up on the other side — and
// prints one table. `--smoke` runs each case for a moment only; `--only WORD` runs the cases whose name holds the word.

import BenchmarkSupport
import CoreBluetooth
import Foundation
import NIOEmbedded

let arguments = Array(CommandLine.arguments.dropFirst())
let isSmoke = arguments.contains("--smoke")
let only = arguments.firstIndex(of: "--only").flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
let scale = isSmoke ? 100 : 1
let runs = isSmoke ? 1 : 5

// One host of the cases with three processes.
if arguments.count == 3, arguments[0] == "--member" { Member.run(arguments[1], adapter: arguments[2]) }
if arguments.count == 3, arguments[0] == "--loop" { BareLoop.run(arguments[1], at: arguments[2]) }

if let index = arguments.firstIndex(of: "--memory"), let links = Int(arguments[index + 1]) {
    // A separate process for each figure: used memory is not given back.
    print(Cases.memory(links: links))
    exit(0)
}

var table = Table()

func wants(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }

func add(_ name: String, aim: String = "", _ measure: () -> TimeMeasurement) {
    guard wants(name) else { return }
    let result = Meter.median(of: runs, measure)
    table.add(
        name,
        String(
            format: "%.2f µs CPU, %.2f µs elapsed",
            result.microsecondsPerOperation,
            result.wallMicrosecondsPerOperation
        ),
        String(format: "%.0f/s, %.0f per core·s", result.operationsPerSecond, result.operationsPerCoreSecond),
        aim: aim
    )
}

// Retained until the end: a pair that is released logs that its link was not closed.
var pairs: [Pair] = []

func makePair(mtu: Int, valueLength: Int, furtherServices: Int = 0) -> Pair {
    let pair = Pair(mtu: mtu, valueLength: valueLength, furtherServices: furtherServices)
    pairs.append(pair)
    return pair
}

for mtu in [247, 517] {
    for octets in [20, 244] {
        let label = "\(octets) octets, MTU \(mtu)"
        let names = [
            "notification", "write without response", "write with response", "read",
            "read through the peripheral's delegate",
        ].map { "\($0), \(label)" }
        guard names.contains(where: wants) else { continue }
        let pair = makePair(mtu: mtu, valueLength: octets)
        add(names[0], aim: "≤ 8 µs CPU, ≥ 130,000/s per core") {
            let count = 200_000 / scale
            return Meter.measure(count: count) {
                pair.central.receive(count) { pair.peripheral.send(count, octets: octets) }
            }
        }
        add(names[1]) {
            let count = 200_000 / scale
            return Meter.measure(count: count) { pair.central.writeWithoutResponse(count: count, octets: octets) }
        }
        add(names[2]) {
            let count = 20_000 / scale
            return Meter.measure(count: count) { pair.central.write(count: count, octets: octets) }
        }
        add(names[3], aim: "≤ 15 µs") {
            let count = 20_000 / scale
            return Meter.measure(count: count) { pair.central.read(Peripheral.fixed, count: count) }
        }
        add(names[4]) {
            let count = 20_000 / scale
            return Meter.measure(count: count) { pair.central.read(Peripheral.asked, count: count) }
        }
    }
}

if wants("read between two hosts, without threads and façade") {
    let loop = EmbeddedEventLoop()
    let star = Star(links: 1, loop: loop, model: .instant)
    add("read between two hosts, without threads and façade") {
        let count = 20_000 / scale
        return Meter.measure(count: count) { star.read(count: count) }
    }
}

if wants("discovery of 20 services with 80 characteristics") {
    // A pair for each run, since a discovered database is cached.
    let result = Meter.median(of: isSmoke ? 1 : 21) {
        let pair = makePair(mtu: 517, valueLength: 20, furtherServices: 19)
        return Meter.measure(count: 1) { pair.central.discoverEverything() }
    }
    table.add(
        "discovery of 20 services with 80 characteristics",
        String(format: "%.2f ms CPU, %.2f ms elapsed", result.processor * 1e3, result.wall * 1e3),
        aim: "≤ 2 ms"
    )
}

if wants("reconnect") {
    let packets = Reconnect.packets()
    let times = (0..<(isSmoke ? 1 : 21)).map { _ in Reconnect.measure() }
    func median(_ times: [TimeMeasurement]) -> TimeMeasurement {
        times.sorted { $0.processor < $1.processor }[times.count / 2]
    }
    let first = median(times.map(\.first))
    let known = median(times.map(\.known))
    for (name, time, count, aim) in [
        ("connect and discover 20 services with 80 characteristics, first time", first, packets.first, ""),
        ("cached reconnect: the same, known by the Database Hash", known, packets.known, "one hash read, no discovery"),
    ] {
        table.add(name, String(format: "%.2f ms CPU", time.processor * 1e3), "\(count) data packets", aim: aim)
    }
}

if wants("pairing") {
    let count = 300 / scale
    let curve = Meter.median(of: runs) { EncryptedPair.curve(count: count) }
    let pair = EncryptedPair(.instant)
    let result = Meter.median(of: runs) { Meter.measure(count: count) { for _ in 0..<count { pair.pair() } } }
    let side = result.microsecondsPerOperation / 2
    table.add(
        "LE Secure Connections pairing with bonding, numeric comparison, for each side",
        String(format: "%.0f µs CPU, %.0f µs of them for P-256", side, curve.microsecondsPerOperation),
        String(format: "%.0f µs beside P-256", side - curve.microsecondsPerOperation),
        aim: "≤ 1,000 µs beside P-256"
    )
}

if wants("encrypted reconnect") {
    let count = 1000 / scale
    let plain = EncryptedPair(.instant)
    let bonded = EncryptedPair(.instant)
    bonded.pair()
    for (name, pair) in [("reconnect", plain), ("encrypted reconnect with a bond", bonded)] {
        let result = Meter.median(of: runs) { Meter.measure(count: count) { for _ in 0..<count { pair.reconnect() } } }
        table.add(
            "\(name), two hosts without façade",
            String(format: "%.0f µs CPU for both sides", result.microsecondsPerOperation)
        )
    }
}

for isEncrypted in [false, true] {
    let name =
        "notifications of 244 octets on \(isEncrypted ? "an encrypted" : "a plain") link, two hosts without façade"
    if wants(name + ", instant air") {
        let pair = EncryptedPair(.instant)
        if isEncrypted { pair.pair() }
        let count = 50_000 / scale
        add(name + ", instant air") { pair.stream(count).measurement }
    }
    if wants(name + ", realistic air") {
        let pair = EncryptedPair(.realistic)
        if isEncrypted { pair.pair() }
        let stream = pair.stream(20_000 / scale)
        table.add(
            name + ", realistic air, LE 2M",
            String(format: "%.2f µs CPU", stream.measurement.microsecondsPerOperation),
            String(format: "%.0f kbit/s", stream.kilobitsPerSecond),
            aim: "the radio's limit: \(isEncrypted ? "1,386" : "1,402") kbit/s"
        )
    }
}

if wants("question") {
    let result = Meter.median(of: isSmoke ? 1 : 11) { Meter.measure(count: 1) { Cases.question() } }
    table.add(
        "connect, discover, ask, answer (ITCB on both sides)",
        String(format: "%.2f ms CPU, %.2f ms elapsed", result.processor * 1e3, result.wall * 1e3)
    )
}

if wants("advertising reports") {
    let reports = AdvertisingReports()
    add("advertising reports, from the HCI event to its elements", aim: "≥ 1,000,000/s") {
        let count = 1_000_000 / scale
        return Meter.measure(count: count) { reports.decode(count: count) }
    }
}

if wants("three processes") { ProcessCases.run() }

func addChannel(_ name: String, octets: Int, aim: String = "", _ measure: () -> TimeMeasurement) {
    let result = measure()
    table.add(
        name,
        String(format: "%.2f ms CPU per MiB", result.processor * 1e3 / (Double(octets) / 1_048_576)),
        String(format: "%.0f Mbit/s", Double(octets) * 8 / result.wall / 1e6),
        aim: aim
    )
}

if wants("L2CAP channel, one direction") || wants("L2CAP channel, both directions at once") {
    let pair = ChannelPair()
    let octets = 64 * 1_048_576 / scale
    addChannel("L2CAP channel, one direction", octets: octets, aim: "≥ 300 Mbit/s") {
        Meter.median(of: runs) { Meter.measure(count: octets) { pair.transfer(there: octets, back: 0) } }
    }
    addChannel("L2CAP channel, both directions at once", octets: 2 * octets, aim: "≥ 300 Mbit/s") {
        Meter.median(of: runs) { Meter.measure(count: octets) { pair.transfer(there: octets, back: octets) } }
    }
}

for loss in [0, 0.1] {
    let name = "L2CAP channel, 64 MiB each way in virtual time, \(Int(loss * 100)) % loss"
    guard wants(name) else { continue }
    // Never shortened: the gate checks that all octets arrive unchanged.
    let octets = 64 * 1_048_576
    let pair = VirtualChannelPair(loss: loss)
    addChannel(name, octets: 2 * octets) { Meter.measure(count: octets) { pair.transfer(octets) } }
}

if wants("virtual") {
    let result = Meter.median(of: isSmoke ? 1 : 5) { Cases.virtualSecond(links: isSmoke ? 10 : 100) }
    table.add(
        "100 links × 1 s of virtual time, a notification per link every 100 ms",
        String(format: "%.0f ms CPU", result.processor * 1e3),
        String(format: "%.1f × real time", 1 / result.wall),
        aim: "< 1 s"
    )
}

if wants("a virtual minute of 50 devices") {
    let seconds = isSmoke ? 2 : 60
    let crowd = Crowd(devices: 50)
    let result = Meter.measure(count: 1) { crowd.run(seconds: seconds) }
    table.add(
        "a virtual minute of 50 devices that advertise and scan, 10 links, with trace",
        String(format: "%.2f s CPU", result.processor),
        String(format: "%.0f × real time", Double(seconds) / result.wall),
        aim: "seconds"
    )
}

let campuses: [(Int, Int, Double)] = [(10, 0, 0), (100, 0, 0), (1000, 0, 0), (1000, 100, 0), (1000, 0, 0.1)]
for (count, walkers, loss) in campuses {
    var name = "a campus of \(count) devices that advertise and scan, in virtual time"
    if walkers > 0 { name += ", \(walkers) of them walking, with walls" }
    if loss > 0 { name += ", \(Int(loss * 100)) % loss" }
    guard wants(name) else { continue }
    // From the start to powered on, with every device discovered.
    var campus: Campus!
    let start = Meter.measure(count: 1) {
        campus = Campus(devices: count, walkers: walkers, loss: loss)
        campus.run(.seconds(3))
    }
    let seconds = isSmoke ? 1 : min(10_000 / count, 100)
    let result = Meter.measure(count: 1) { campus.run(.seconds(seconds)) }
    table.add(
        name,
        String(
            format: "%.2f s CPU for the first 3 s, then %.4f s CPU per virtual second",
            start.processor,
            result.processor / Double(seconds)
        ),
        String(
            format: "%.1f × real time on a core, then %.0f ×; %.0f neighbours",
            3 / start.processor,
            Double(seconds) / result.processor,
            campus.neighbours
        ),
        aim: count == 1000 ? "faster than real time" : ""
    )
}

if wants("resident memory of a campus") {
    let campus = Campus(devices: 1000)
    campus.run(.seconds(60))
    let minute = Meter.residentMemory()
    campus.run(.seconds(isSmoke ? 1 : 3_540))
    table.add(
        "resident memory of a campus of 1000 devices, after a virtual minute and after an hour",
        String(format: "%.0f MB, %.0f MB", minute, Meter.residentMemory()),
        aim: "the same"
    )
}

if wants("memory") {
    for links in [1, 100] {
        table.add("resident memory with \(links) link\(links == 1 ? "" : "s")", Cases.memoryInProcess(links: links))
    }
}

table.printAsMarkdown()
