// The buffers of the host: how many packets of each link it may be given, of every number of buffers and links.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Buffers of the host")
struct ReceiveBuffersTests {
    private let testbed = AirTestbed()
    private let controller: Controller

    init() {
        let testbed = self.testbed
        self.controller = Controller(
            air: testbed.air,
            index: 0,
            slot: 0,
            configuration: VirtualControllerConfiguration()
        )
    }

    private func ends(_ count: Int) -> [LinkEnd] {
        (0..<count).map {
            LinkEnd(
                controller: self.controller,
                handle: ConnectionHandle(rawValue: UInt16($0)),
                role: .central,
                peerAddress: .none
            )
        }
    }

    @Test(
        "links that take all they can get are given no more than there is, of each number of buffers and links",
        arguments: 1...16
    )
    func shares(capacity: Int) {
        for linkLimit in [1, 2, 4, 128] {
            for linkCount in 1...min(linkLimit, 4) {
                let ends = self.ends(linkCount)
                var buffers = ReceiveBuffers(linkLimit: linkLimit)
                buffers.isLimited = true
                buffers.capacity = capacity
                // Each takes in turn, as long as any may.
                var isGoing = true
                while isGoing {
                    isGoing = false
                    for end in ends where buffers.hasCapacity(for: end, among: linkCount) {
                        buffers.sent(on: end)
                        isGoing = true
                    }
                    #expect(buffers.used <= capacity)
                }
                let held = ends.map(\.unreportedPackets)
                RunRecord.note("\(capacity) \(linkLimit) \(linkCount): \(held)")
                #expect(buffers.used == held.reduce(0, +))
                for end in ends { buffers.completed(end.unreportedPackets, on: end) }
                #expect(buffers.used == 0)
                for end in ends { #expect(buffers.hasCapacity(for: end, among: linkCount)) }
            }
        }
    }

    @Test("packets that come and are done with by chance", arguments: 1...6)
    func walk(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = 1 + Int(seed) % 4
        let ends = self.ends(count)
        var buffers = ReceiveBuffers(linkLimit: [4, 128][Int(seed % 2)])
        buffers.capacity = Int(seed) * 3
        buffers.isLimited = true
        for _ in 0..<400 {
            let end = ends[Int.random(in: 0..<count, using: &generator)]
            if Int.random(in: 0...2, using: &generator) > 0 {
                let hasCapacity = buffers.hasCapacity(for: end, among: count)
                if hasCapacity { buffers.sent(on: end) }
                RunRecord.note("\(hasCapacity) \(buffers.used) \(end.unreportedPackets)")
            } else {
                buffers.completed(Int.random(in: 0...3, using: &generator), on: end)
                RunRecord.note("\(buffers.used) \(end.unreportedPackets)")
            }
            #expect(buffers.used == ends.reduce(0) { $0 + $1.unreportedPackets })
            #expect((0...buffers.capacity).contains(buffers.used))
        }
    }

    @Test("a host that has not asked for it is given everything, one that takes nothing is given nothing")
    func unlimited() {
        let end = self.ends(1)[0]
        var buffers = ReceiveBuffers(linkLimit: 1)
        buffers.capacity = 1
        for _ in 0..<3 {
            #expect(buffers.hasCapacity(for: end, among: 1))
            buffers.sent(on: end)
        }
        #expect(buffers.used == 0 && end.unreportedPackets == 0)
        buffers.isHostWritable = false
        #expect(!buffers.hasCapacity(for: end, among: 1))
        buffers.isLimited = true
        #expect(!buffers.hasCapacity(for: end, among: 1))
        buffers.reset()
        #expect(!buffers.isLimited && buffers.capacity == 0 && !buffers.isHostWritable)
        buffers.isHostWritable = true
        buffers.reset()
        #expect(buffers.isHostWritable)
    }
}
